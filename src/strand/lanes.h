// Vectors of three whose components are lanes: one strand per lane, the same formula for all of them.
#ifndef DR_STRAND_LANES_H
#define DR_STRAND_LANES_H

#include "math/simd.h"

typedef struct dr_lanes3 {
    dr_lanes x, y, z;
} dr_lanes3;

typedef struct dr_lanes_symmetric {
    dr_lanes xx, xy, xz, yy, yz, zz;
} dr_lanes_symmetric;

DR_INLINE dr_lanes3 dr_lanes3_add(dr_lanes3 a, dr_lanes3 b)
{
    return (dr_lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

DR_INLINE dr_lanes3 dr_lanes3_sub(dr_lanes3 a, dr_lanes3 b)
{
    return (dr_lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

DR_INLINE dr_lanes3 dr_lanes3_scale(dr_lanes s, dr_lanes3 a)
{
    return (dr_lanes3){s * a.x, s * a.y, s * a.z};
}

// a + s b
DR_INLINE dr_lanes3 dr_lanes3_add_scaled(dr_lanes3 a, dr_lanes s, dr_lanes3 b)
{
    return (dr_lanes3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

DR_INLINE dr_lanes dr_lanes3_dot(dr_lanes3 a, dr_lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

DR_INLINE dr_lanes3 dr_lanes3_cross(dr_lanes3 a, dr_lanes3 b)
{
    return (dr_lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

DR_INLINE dr_lanes3 dr_lanes3_select(dr_lanes_mask mask, dr_lanes3 yes, dr_lanes3 no)
{
    return (dr_lanes3){dr_lanes_select(mask, yes.x, no.x), dr_lanes_select(mask, yes.y, no.y),
                       dr_lanes_select(mask, yes.z, no.z)};
}

// m + a b^T + b a^T
DR_INLINE dr_lanes_symmetric dr_lanes_add_pair(dr_lanes_symmetric m, dr_lanes3 a, dr_lanes3 b)
{
    m.xx += 2.0 * a.x * b.x;
    m.xy += a.x * b.y + a.y * b.x;
    m.xz += a.x * b.z + a.z * b.x;
    m.yy += 2.0 * a.y * b.y;
    m.yz += a.y * b.z + a.z * b.y;
    m.zz += 2.0 * a.z * b.z;
    return m;
}

// m + a b^T where that is symmetric (a and b parallel)
DR_INLINE dr_lanes_symmetric dr_lanes_add_square(dr_lanes_symmetric m, dr_lanes3 a, dr_lanes3 b)
{
    m.xx += a.x * b.x;
    m.xy += a.x * b.y;
    m.xz += a.x * b.z;
    m.yy += a.y * b.y;
    m.yz += a.y * b.z;
    m.zz += a.z * b.z;
    return m;
}

DR_INLINE dr_lanes_symmetric dr_lanes_symmetric_scale(dr_lanes s, dr_lanes_symmetric m)
{
    return (dr_lanes_symmetric){s * m.xx, s * m.xy, s * m.xz, s * m.yy, s * m.yz, s * m.zz};
}

#endif
