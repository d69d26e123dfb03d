// Strands, colliders and the contact stage without a world around them.
#ifndef TESTS_CONTACT_BUNDLE_H
#define TESTS_CONTACT_BUNDLE_H

#include "support/check.h"

#include "contact/stage.h"
#include "lab/crossings.h"
#include "math/random.h"
#include "math/vec.h"

#include <stdlib.h>

typedef struct bundle {
    dr_strand_material material;
    dr_strands strands;
    dr_strand_solver *solver;
    dr_contact_stage *stage;
    dr_contact_choice choice;
    dr_contact_memory memory;
    dr_contact_outcome outcome;
    dr_collider_set *colliders;
    dr_scene *scene;
    dr_par par;
    double gravity[3], time;
    double *before; // places before the last step
    long crossings, held, blocked;
} bundle;

static inline bundle *bundle_create(double young, double friction, int threads, const char *scene)
{
    bundle *b = calloc(1, sizeof *b);
    dr_error error = {0};
    b->material = (dr_strand_material){.density = 1.3, .young = young, .shear = young / 2.8, .friction = friction};
    b->strands.materials = &b->material;
    b->par = dr_par_open(threads);
    b->choice.settings = (dr_contact_settings){400, 1e-6, 0.0, 0.0};
    b->choice.rounds = 8;
    b->choice.bends = 3;
    b->gravity[1] = -981.0;
    b->stage = dr_contact_stage_create(NULL);
    assert_true(dr_strands_reserve(&b->strands, NULL, 4096, 120000));
    if (scene) {
        if (dr_scene_parse(scene, strlen(scene), "test", NULL, &b->scene, &error) ||
            dr_collider_set_create(b->scene, NULL, &b->colliders, &error))
            fail_msg("%s", error.text);
    }
    return b;
}

static inline void bundle_free(bundle *b)
{
    dr_strand_solver_close(b->solver);
    dr_contact_stage_destroy(b->stage);
    dr_strands_free(&b->strands, NULL);
    if (b->colliders) dr_collider_set_destroy(b->colliders);
    dr_scene_destroy(b->scene);
    dr_contact_memory_free(&b->memory, NULL);
    free(b->before);
    free(b);
}

// A straight strand from `from` to `to`.
static inline int bundle_add(bundle *b, const double from[3], const double to[3], int vertices, double radius)
{
    double points[3 * 1024];
    const double both[2] = {radius, radius};
    for (int i = 0; i < vertices; i++) {
        for (int a = 0; a < 3; a++) points[3 * i + a] = from[a] + (to[a] - from[a]) * i / (vertices - 1);
    }
    return dr_strands_add(&b->strands, points, vertices, both, 0);
}

// goal: where held vertices are to be, NULL: where they are.
static inline void bundle_step_to(bundle *b, double dt, const double *goal)
{
    dr_strand_goal held = {goal ? goal : b->strands.position, b->strands.director, NULL};
    dr_strand_step step = {.dt = dt, .goal = &held, .keep = true};
    dr_strand_verdict verdict;
    dr_error error = {0};
    size_t bytes = 3 * b->strands.vertices * sizeof(double);
    dr_vec3_copy(step.gravity, b->gravity);
    if (!b->solver) b->solver = dr_strand_solver_open(&b->strands, NULL, &b->par);
    if (!b->before) b->before = malloc(bytes);
    memcpy(b->before, b->strands.position, bytes);
    b->time += dt;
    double speed = b->colliders
                       ? dr_collider_set_speed(b->colliders, b->time - dt, b->time, (const double[3]){0.0, 0.0, 0.0})
                       : 0.0;
    if (b->colliders) assert_true(dr_collider_set_drive(b->colliders, b->time, &error) == DR_STATUS_OK);
    assert_true(dr_strand_solver_predict(b->solver, &b->strands, &step, &verdict));
    dr_contact_meeting meeting = {b->solver,    &b->strands, NULL,       NULL, &step,
                                  b->colliders, speed,       &b->memory, true, NULL};
    assert_true(dr_contact_stage_run(b->stage, &b->choice, &b->par, &meeting, &b->outcome));
    assert_true(dr_contact_stage_reserve(b->stage, NULL, &b->memory));
    dr_contact_stage_commit(b->stage, &b->memory);
    dr_strand_solver_commit(b->solver, &b->strands);
    b->held += b->outcome.held;
    b->blocked += b->outcome.blocked;
    b->crossings += dr_crossings_count(b->before, b->strands.position, b->strands.first, b->strands.count);
}

static inline void bundle_step(bundle *b, double dt)
{
    bundle_step_to(b, dt, NULL);
}

static inline double bundle_kinetic(const bundle *b)
{
    double sum = 0.0;
    for (size_t v = 0; v < b->strands.vertices; v++) {
        const double *u = b->strands.velocity + 3 * v;
        sum += 0.5 * b->strands.mass[v] * dr_vec3_dot(u, u);
    }
    return sum;
}

static inline double bundle_depth(const bundle *b, int collider)
{
    double deepest = INFINITY;
    for (size_t v = 0; v < b->strands.vertices; v++) {
        deepest = fmin(deepest, dr_collider_set_surface(b->colliders, collider, b->strands.position + 3 * v).distance);
    }
    return deepest;
}

#endif
