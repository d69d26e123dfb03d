#include "grid/transfer.h"

#include "math/kernel.h"

double dr_transfer_node_shift(dr_kernel kernel)
{
    return dr_kernel_reach((int)kernel + 1);
}
double dr_transfer_face_shift(dr_kernel kernel)
{
    return dr_kernel_reach((int)kernel + 1) + 0.5;
}
