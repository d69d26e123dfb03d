// The camera. A position that is left to it is found by looking at the eight corners of the box of the action: moved
// sideways until they lie evenly about the middle, and back until the outermost is at the margin; a few rounds settle
// it.
#include "look/camera.h"

#include "math/vec.h"

#define MARGIN 0.94 // of half the picture
#define ROUNDS 24

static bool given(const double place[3])
{
    return place[0] != DR_AUTO && place[1] != DR_AUTO && place[2] != DR_AUTO;
}

typedef struct frame {
    double right[3], up[3], ahead[3];
} frame;

static frame frame_along(const double ahead[3])
{
    static const double forward[3] = {0, 0, -1}, above[3] = {0, 1, 0};
    frame f;
    dr_vec3_normalize(f.ahead, ahead, forward);
    dr_vec3_cross(f.right, f.ahead, above);
    if (dr_vec3_length(f.right) < 1e-6) dr_vec3_cross(f.right, f.ahead, forward);
    dr_vec3_normalize(f.right, f.right, (const double[3]){1, 0, 0});
    dr_vec3_cross(f.up, f.right, f.ahead);
    return f;
}

typedef struct lens {
    double across, upright; // tangents of half the angles of view
} lens;

// How the corners lie in the picture: the middle of what they span, and how far they reach in halves of it.
static void look_at_corners(const dr_box *box, const frame *f, const lens *lens, const double eye[3], double middle[2],
                            double *reach)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = (i >> a & 1 ? box->max[a] : box->min[a]) - eye[a];
        double depth = fmax(dr_vec3_dot(x, f->ahead), 1e-9);
        double at[2] = {dr_vec3_dot(x, f->right) / (depth * lens->across),
                        dr_vec3_dot(x, f->up) / (depth * lens->upright)};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    for (int k = 0; k < 2; k++) middle[k] = 0.5 * (low[k] + high[k]);
    *reach = fmax(0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]));
}

static void choose_eye(const dr_camera_spec *spec, const dr_box *box, const frame *f, const lens *lens, double eye[3])
{
    double target[3], size[3];
    for (int a = 0; a < 3; a++) target[a] = 0.5 * (box->min[a] + box->max[a]);
    dr_vec3_sub(size, box->max, box->min);
    double distance = fmax(dr_vec3_length(size), 1e-6) / fmin(lens->across, lens->upright);
    bool aimed = given(spec->target);
    if (aimed) dr_vec3_copy(target, spec->target);
    for (int i = 0; i < ROUNDS; i++) {
        double middle[2], reach;
        dr_vec3_add_scaled(eye, target, -distance, f->ahead);
        look_at_corners(box, f, lens, eye, middle, &reach);
        if (aimed) {
            reach += fmax(fabs(middle[0]), fabs(middle[1]));
        } else {
            dr_vec3_add_scaled(target, target, middle[0] * lens->across * distance, f->right);
            dr_vec3_add_scaled(target, target, middle[1] * lens->upright * distance, f->up);
        }
        distance *= fmax(0.5, reach / MARGIN);
    }
    dr_vec3_add_scaled(eye, target, -distance / spec->zoom, f->ahead);
}

static void direction_of(const dr_camera_spec *spec, double ahead[3])
{
    dr_vec3_set(ahead, -sin(spec->azimuth) * cos(spec->elevation), -sin(spec->elevation),
                -cos(spec->azimuth) * cos(spec->elevation));
}

static double distance_to_target(const dr_camera_spec *spec, const dr_box *box, const frame *f, const double eye[3])
{
    double away[3];
    for (int a = 0; a < 3; a++) {
        double middle = 0.5 * (box->min[a] + box->max[a]);
        away[a] = (spec->target[a] != DR_AUTO ? spec->target[a] : middle) - eye[a];
    }
    return fmax(dr_vec3_dot(away, f->ahead), 1e-6);
}

dr_camera dr_camera_make(const dr_camera_spec *spec, const dr_box *action, double aspect)
{
    dr_box box = *action;
    if (!(box.max[0] >= box.min[0])) box = (dr_box){{-1, -1, -1}, {1, 1, 1}};
    lens lens = {aspect * tan(0.5 * spec->field_of_view), tan(0.5 * spec->field_of_view)};
    double eye[3], ahead[3];
    direction_of(spec, ahead);
    if (given(spec->position)) {
        dr_vec3_copy(eye, spec->position);
        for (int a = 0; a < 3; a++) {
            double middle = 0.5 * (box.min[a] + box.max[a]);
            ahead[a] = (spec->target[a] != DR_AUTO ? spec->target[a] : middle) - eye[a];
        }
    }
    frame f = frame_along(ahead);
    if (!given(spec->position)) choose_eye(spec, &box, &f, &lens, eye);
    double focus = spec->focus != DR_AUTO ? spec->focus : distance_to_target(spec, &box, &f, eye);
    dr_vec3_scale(f.right, lens.across, f.right);
    dr_vec3_scale(f.up, lens.upright, f.up);
    return (dr_camera){.position = dr_space_from(eye),
                       .right = dr_space_from(f.right),
                       .up = dr_space_from(f.up),
                       .ahead = dr_space_from(f.ahead),
                       .aperture = (float)spec->aperture,
                       .focus = (float)focus};
}

dr_float4 dr_camera_ray(const dr_camera *camera, float x, float y)
{
    return dr_space_unit(camera->ahead + (2.0f * x - 1.0f) * camera->right + (1.0f - 2.0f * y) * camera->up);
}

void dr_camera_blur(const dr_camera *camera, const float random[2], dr_float4 *eye, dr_float4 *direction)
{
    float away = 0.5f * camera->aperture * sqrtf(random[0]), turn = 2.0f * DR_PI_FLOAT * random[1];
    dr_float4 sharp = *eye + (camera->focus / dr_space_dot(*direction, camera->ahead)) * *direction;
    *eye += away * (cosf(turn) * dr_space_unit(camera->right) + sinf(turn) * dr_space_unit(camera->up));
    *direction = dr_space_unit(sharp - *eye);
}
