#include "grid/transfer.h"

#include "math/kernel.h"

double dr_transfer_node_shift(dr_kernel kernel)
{
    return dr_kernel_reach(dr_transfer_degree(kernel));
}

double dr_transfer_face_shift(dr_kernel kernel)
{
    return dr_kernel_reach(dr_transfer_degree(kernel)) + 0.5;
}
