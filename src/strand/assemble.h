// Energy, gradient and matrix of strands, row by row, straight into the factorisation. docs/theory/rods.md, eq.
// (8)-(26). A pass walks along the strand: it moves vertex i + 1, carries the frame of edge i, adds stretch of that
// edge and bending and twist at vertex i, and by then the rows of vertex i - 1 are complete and are factorised.
#ifndef DR_STRAND_ASSEMBLE_H
#define DR_STRAND_ASSEMBLE_H

#include "strand/bend.h"
#include "strand/newton.h"
#include "strand/stretch.h"
#include "strand/twist.h"

// A pass over the lanes [lane, lane + DR_LANES).
typedef struct dr_rod_pass {
    const dr_newton *job;
    int lane;
    dr_lanes alpha;     // share of the step
    dr_lanes arc;       // 1: edges turn without stretching
    dr_lanes geometric; // 1: exact matrix of bending and twist, 0: Gauss-Newton
    dr_lanes pressed;   // 1: edges under pressure push sideways in the matrix too, 0: they do not
    dr_lanes shift;     // added to the diagonal, as a share of it
    // results
    dr_lanes energy, weakest, descent;
} dr_rod_pass;

DR_INLINE dr_lanes3 dr_rod_load3(const double (*row)[DR_ROD_WIDTH], int lane)
{
    return (dr_lanes3){dr_lanes_load(row[0] + lane), dr_lanes_load(row[1] + lane), dr_lanes_load(row[2] + lane)};
}

DR_INLINE void dr_rod_store3(double (*row)[DR_ROD_WIDTH], int lane, dr_lanes3 a)
{
    dr_lanes_store(row[0] + lane, a.x);
    dr_lanes_store(row[1] + lane, a.y);
    dr_lanes_store(row[2] + lane, a.z);
}

// A vertex moved by alpha times its step.
DR_INLINE dr_lanes3 dr_rod_straight(const dr_rod_pass *pass, int i)
{
    const double(*step)[DR_ROD_WIDTH] = (const double(*)[DR_ROD_WIDTH])pass->job->step[i];
    return dr_lanes3_add_scaled(dr_rod_load3((const double(*)[DR_ROD_WIDTH])pass->job->base[i].x, pass->lane),
                                pass->alpha, dr_rod_load3(step, pass->lane));
}

// A long step along straight lines would stretch edges that it means to turn. Where `arc` says so, the edge takes the
// direction of the straight step and the length that the step has in first order, and the rest follows. (30)
DR_INLINE dr_lanes3 dr_rod_bow(const dr_rod_pass *pass, int i, dr_lanes3 from, dr_lanes3 straight)
{
    dr_lanes3 edge = dr_lanes3_sub(straight, dr_rod_straight(pass, i - 1));
    dr_lanes3 t = dr_rod_load3((const double(*)[DR_ROD_WIDTH])pass->job->base[i - 1].tangent, pass->lane);
    dr_lanes length = dr_lanes_sqrt(dr_lanes_larger(dr_lanes3_dot(edge, edge), dr_lanes_all(1e-200)));
    dr_lanes meant = dr_lanes3_dot(edge, t);
    dr_lanes3 bowed = dr_lanes3_add_scaled(from, meant / length, edge);
    dr_lanes held = dr_lanes_load(pass->job->row[i].held + pass->lane);
    dr_lanes_mask turns = (dr_lanes_mask)(pass->arc > held) & (dr_lanes_mask)(meant > 0.2 * length);
    dr_lanes3 drawn = dr_lanes3_add(from, edge);
    dr_lanes_mask free = (dr_lanes_mask)(pass->arc > held);
    return dr_lanes3_select(turns, bowed, dr_lanes3_select(free, drawn, straight));
}

DR_INLINE dr_lanes3 dr_rod_move(const dr_rod_pass *pass, int i, dr_lanes3 from)
{
    dr_lanes3 x = dr_rod_straight(pass, i);
    if (i > 0 && dr_lanes_any_less(dr_lanes_all(0.5), pass->arc)) x = dr_rod_bow(pass, i, from, x);
    dr_rod_store3(pass->job->trial[i].x, pass->lane, x);
    return x;
}

// The frame of edge i at its new place, and its length. (1), (2)
DR_INLINE dr_edge dr_rod_carry(const dr_rod_pass *pass, int i, dr_lanes3 from, dr_lanes3 to, dr_lanes *length,
                               dr_lanes *turned)
{
    const dr_rod_place *base = &pass->job->base[i];
    dr_rod_place *trial = &pass->job->trial[i];
    int lane = pass->lane;
    dr_lanes3 e = dr_lanes3_sub(to, from);
    dr_lanes squared = dr_lanes_larger(dr_lanes3_dot(e, e), dr_lanes_all(1e-200));
    dr_edge edge;
    *length = dr_lanes_sqrt(squared);
    edge.inverse = 1.0 / *length;
    edge.t = dr_lanes3_scale(edge.inverse, e);
    dr_lanes3 old = dr_rod_load3((const double(*)[DR_ROD_WIDTH])base->tangent, lane);
    dr_lanes3 carried =
        dr_transport_vector(old, edge.t, dr_rod_load3((const double(*)[DR_ROD_WIDTH])base->director, lane));
    *turned = pass->alpha * dr_lanes_load(pass->job->step[i][3] + lane);
    dr_lanes sine, cosine;
    dr_transport_sine_cosine(*turned, &sine, &cosine);
    edge.m1 = dr_lanes3_add_scaled(dr_lanes3_scale(cosine, carried), sine, dr_lanes3_cross(edge.t, carried));
    edge.m1 = dr_transport_clean(edge.t, edge.m1);
    edge.m2 = dr_lanes3_cross(edge.t, edge.m1);
    dr_rod_store3(trial->tangent, lane, edge.t);
    dr_rod_store3(trial->director, lane, edge.m1);
    dr_lanes_store(trial->turn + lane, dr_lanes_load(base->turn + lane) + *turned);
    return edge;
}

// The twist at vertex i between edges e and f. (3), (4)
DR_INLINE dr_lanes dr_rod_twist(const dr_rod_pass *pass, int i, const dr_edge *e, const dr_edge *f, dr_lanes turned)
{
    dr_lanes near = dr_lanes_load(pass->job->base[i].twist + pass->lane) + turned;
    dr_lanes twist = dr_transport_unwrap(dr_transport_twist(e->t, e->m1, f->t, f->m1), near);
    dr_lanes_store(pass->job->trial[i].twist + pass->lane, twist);
    return twist;
}

// Inertia and drag of vertex i. (21)
DR_INLINE void dr_rod_inertia(dr_rod_pass *pass, int i, dr_lanes3 x, dr_ldlt_block *block, bool derivatives)
{
    const dr_rod_row *row = &pass->job->row[i];
    int lane = pass->lane;
    dr_lanes3 away = dr_lanes3_sub(x, dr_rod_load3((const double(*)[DR_ROD_WIDTH])row->anchor, lane));
    dr_lanes weight = dr_lanes_load(row->weight + lane);
    dr_lanes3 pull = dr_lanes3_scale(weight, away);
    dr_lanes_symmetric drag = {weight, dr_lanes_all(0.0), dr_lanes_all(0.0), weight, dr_lanes_all(0.0), weight};
    if (pass->job->drag) {
        const double(*d)[DR_ROD_WIDTH] = (const double(*)[DR_ROD_WIDTH])pass->job->drag[i];
        dr_lanes xx = dr_lanes_load(d[0] + lane), xy = dr_lanes_load(d[1] + lane), xz = dr_lanes_load(d[2] + lane);
        dr_lanes yy = dr_lanes_load(d[3] + lane), yz = dr_lanes_load(d[4] + lane), zz = dr_lanes_load(d[5] + lane);
        pull.x += xx * away.x + xy * away.y + xz * away.z;
        pull.y += xy * away.x + yy * away.y + yz * away.z;
        pull.z += xz * away.x + yz * away.y + zz * away.z;
        drag = (dr_lanes_symmetric){weight + xx, xy, xz, weight + yy, yz, weight + zz};
    }
    pass->energy += 0.5 * dr_lanes3_dot(pull, away);
    dr_lanes turn_away = dr_lanes_load(pass->job->trial[i].turn + lane) - dr_lanes_load(row->turn_anchor + lane);
    dr_lanes turn_weight = dr_lanes_load(row->turn_weight + lane);
    pass->energy += 0.5 * turn_weight * turn_away * turn_away;
    if (!derivatives) return;
    block->own[0][0] += drag.xx, block->own[1][0] += drag.xy, block->own[2][0] += drag.xz;
    block->own[1][1] += drag.yy, block->own[2][1] += drag.yz, block->own[2][2] += drag.zz;
    block->own[3][3] += turn_weight;
    block->right[0] -= pull.x, block->right[1] -= pull.y, block->right[2] -= pull.z;
    block->right[3] -= turn_weight * turn_away;
}

DR_INLINE void dr_rod_add_symmetric(dr_lanes own[4][4], dr_lanes_symmetric m)
{
    own[0][0] += m.xx;
    own[1][0] += m.xy, own[1][1] += m.yy;
    own[2][0] += m.xz, own[2][1] += m.yz, own[2][2] += m.zz;
}

// Bending and twist of vertex 1 of three, and the stretch of the edge after it, onto the rows of the three. (18)
//   x0: -e, x1: e - f, x2: f. The last of the three has nothing yet.
DR_INLINE void dr_rod_scatter(const dr_joint_sum *sum, dr_ldlt_block *const block[3])
{
    const dr_lanes(*ef)[3] = (const dr_lanes(*)[3])sum->ef;
    const dr_lanes_symmetric *ee = &sum->ee, *ff = &sum->ff;
    dr_lanes full_e[3][3] = {{ee->xx, ee->xy, ee->xz}, {ee->xy, ee->yy, ee->yz}, {ee->xz, ee->yz, ee->zz}};
    dr_lanes full_f[3][3] = {{ff->xx, ff->xy, ff->xz}, {ff->xy, ff->yy, ff->yz}, {ff->xz, ff->yz, ff->zz}};
    const dr_lanes *e = (const dr_lanes *)&sum->e, *f = (const dr_lanes *)&sum->f;
    const dr_lanes *e_te = (const dr_lanes *)&sum->e_turn_e, *e_tf = (const dr_lanes *)&sum->e_turn_f;
    const dr_lanes *f_te = (const dr_lanes *)&sum->f_turn_e, *f_tf = (const dr_lanes *)&sum->f_turn_f;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            block[1]->last[a][b] += ef[b][a] - full_e[a][b];
            block[2]->before[a][b] = -ef[b][a];
            block[2]->last[a][b] = ef[b][a] - full_f[a][b];
            if (b > a) continue;
            block[0]->own[a][b] += full_e[a][b];
            block[1]->own[a][b] += full_e[a][b] - ef[a][b] - ef[b][a] + full_f[a][b];
            block[2]->own[a][b] = full_f[a][b];
        }
        block[0]->own[3][a] -= e_te[a];
        block[1]->last[a][3] += e_te[a] - f_te[a];
        block[2]->before[a][3] = f_te[a];
        block[1]->last[3][a] -= e_tf[a];
        block[1]->own[3][a] += e_tf[a] - f_tf[a];
        block[2]->last[a][3] = f_tf[a];
        block[0]->right[a] += e[a];
        block[1]->right[a] += f[a] - e[a];
        block[2]->right[a] = -f[a];
    }
    block[0]->own[3][3] += sum->turn_ee;
    block[1]->last[3][3] += sum->turn_ef;
    block[1]->own[3][3] += sum->turn_ff;
    block[0]->right[3] -= sum->turn_e;
    block[1]->right[3] -= sum->turn_f;
    for (int a = 0; a < 4; a++) block[2]->last[3][a] = block[2]->own[3][a] = dr_lanes_all(0.0);
    block[2]->right[3] = dr_lanes_all(0.0);
}

// Takes what is held out of the system and factorises the rows of vertex i.
DR_INLINE void dr_rod_close(const dr_rod_pass *pass, int i, dr_ldlt_block *block, dr_ldlt_window *window,
                            double (*out)[4][DR_ROD_WIDTH])
{
    const dr_rod_row *row = &pass->job->row[i];
    dr_lanes held = dr_lanes_load(row->held + pass->lane), turn_held = dr_lanes_load(row->turn_held + pass->lane);
    for (int a = 0; a < 4; a++) {
        dr_lanes fixed = a < 3 ? held : turn_held;
        block->own[a][a] += pass->shift * block->own[a][a] + DR_ROD_HELD * fixed;
        block->right[a] *= 1.0 - fixed;
    }
    dr_ldlt_factor(window, block, &pass->job->factor[i], out[i], pass->lane);
}

// Where a pass is: the vertex, the edge before it, and how far that was turned.
typedef struct dr_rod_walk {
    dr_lanes3 x;
    dr_edge e;
    dr_lanes turned;
} dr_rod_walk;

// Bending and twist at vertex i, where edges e and f meet.
DR_INLINE void dr_rod_join(dr_rod_pass *pass, int i, const dr_rod_walk *at, const dr_edge *f, dr_lanes turned,
                           bool derivatives, dr_joint_sum *sum)
{
    const dr_rod_row *row = &pass->job->row[i];
    int lane = pass->lane;
    dr_joint joint = dr_joint_open(at->e, *f, pass->geometric);
    dr_lanes twist = dr_rod_twist(pass, i, &at->e, f, turned - at->turned);
    dr_bend bend = {{dr_lanes_load(row->curvature[0] + lane), dr_lanes_load(row->curvature[1] + lane),
                     dr_lanes_load(row->curvature[2] + lane), dr_lanes_load(row->curvature[3] + lane)},
                    {dr_lanes_load(row->bend[0] + lane), dr_lanes_load(row->bend[1] + lane)}};
    dr_twist torsion = {dr_lanes_load(row->twist + lane), dr_lanes_load(row->torsion + lane)};
    if (derivatives) {
        dr_bend_add(&joint, &bend, sum);
        dr_twist_add(&joint, twist, &torsion, sum);
        dr_joint_finish(&joint, sum);
    } else {
        dr_bend_energy(&joint, &bend, &sum->energy);
        dr_twist_energy(twist, &torsion, &sum->energy);
    }
}

// On by one edge: what edge i and vertex i add.
DR_INLINE void dr_rod_advance(dr_rod_pass *pass, int i, dr_rod_walk *at, bool derivatives, dr_joint_sum *sum)
{
    const dr_rod_row *row = &pass->job->row[i];
    dr_lanes length, turned;
    dr_lanes3 to = dr_rod_move(pass, i + 1, at->x);
    dr_edge f = dr_rod_carry(pass, i, at->x, to, &length, &turned);
    dr_lanes drawn = pass->job->once ? dr_lanes_load(row->drawn + pass->lane) : length;
    dr_stretch stretch = dr_stretch_edge(f.t, length, f.inverse, dr_lanes_load(row->length + pass->lane),
                                         dr_lanes_load(row->stretch + pass->lane), pass->pressed, drawn);
    if (i > 0) dr_rod_join(pass, i, at, &f, turned, derivatives, sum);
    pass->energy += sum->energy + stretch.energy;
    if (derivatives) {
        sum->f = dr_lanes3_add_scaled(sum->f, stretch.force, f.t);
        sum->ff.xx += stretch.matrix.xx, sum->ff.xy += stretch.matrix.xy, sum->ff.xz += stretch.matrix.xz;
        sum->ff.yy += stretch.matrix.yy, sum->ff.yz += stretch.matrix.yz, sum->ff.zz += stretch.matrix.zz;
    }
    *at = (dr_rod_walk){to, f, turned};
}

// Energy at base + alpha step, which becomes trial; with derivatives also the factorised matrix there and, in `out`,
// the forward half of the solution of matrix step = -gradient.
DR_INLINE void dr_rod_assemble(dr_rod_pass *pass, bool derivatives, double (*out)[4][DR_ROD_WIDTH])
{
    const dr_newton *job = pass->job;
    int last = job->rows - 1;
    dr_ldlt_window window = dr_ldlt_start();
    dr_ldlt_block blocks[3] = {0}, *block[3] = {&blocks[0], &blocks[1], &blocks[2]};
    dr_rod_walk at = {.x = dr_rod_straight(pass, 0)};
    pass->energy = dr_lanes_all(0.0);
    dr_rod_store3(job->trial[0].x, pass->lane, at.x);
    dr_lanes_store(job->trial[last].turn + pass->lane, dr_lanes_all(0.0));
    for (int i = 0; i <= last + (derivatives ? 1 : 0); i++) {
        dr_lanes3 x = at.x;
        if (i < last) {
            dr_joint_sum sum = {0};
            dr_rod_advance(pass, i, &at, derivatives, &sum);
            if (derivatives) dr_rod_scatter(&sum, block);
        }
        if (i <= last) dr_rod_inertia(pass, i, x, block[1], derivatives);
        if (!derivatives) continue;
        if (i == last) block[1]->own[3][3] += 1.0; // the last vertex has no edge to turn
        if (i > 0) dr_rod_close(pass, i - 1, block[0], &window, out);
        dr_ldlt_block *spent = block[0];
        block[0] = block[1];
        block[1] = block[2];
        block[2] = spent;
    }
    pass->weakest = window.weakest;
    pass->descent = window.descent;
}

#endif
