#include "../model/loss.h"
#include "test.h"

enum { N = 4, V = 300 };  // more than one chunk of the forward pass
static const int32_t targets[N] = {0, 299, 17, 17};
static const real dloss = (real)0.37;
static real *logits;

static double loss(void) {
    double losses[N], sum = 0;
    loss_forward(losses, logits, targets, N, V);
    for (long n = 0; n < N; n++) sum += losses[n];
    return (double)dloss * sum;
}

static void the_loss_is_minus_the_log_of_softmax(void) {
    logits = normals(N * V);
    double losses[N];
    loss_forward(losses, logits, targets, N, V);
    for (long n = 0; n < N; n++) {
        double sum = 0;
        for (long v = 0; v < V; v++) sum += exp((double)logits[n * V + v]);
        CHECK_NEAR(losses[n], log(sum) - (double)logits[n * V + targets[n]], REAL_IS_FLOAT ? 1e-5 : 1e-12);
    }
}

static void equal_logits_cost_the_log_of_their_number(void) {
    logits = ones(N * V);
    CHECK_NEAR(loss(), 0.37 * N * log(300.0), REAL_IS_FLOAT ? 1e-5 : 1e-12);
}

static void the_fused_pass_gives_the_same_losses_and_their_gradient(void) {
    logits = normals(N * V);
    real *dlogits = array_of(N * V);
    memcpy(dlogits, logits, N * V * sizeof *logits);
    double plain[N], fused[N];
    loss_forward(plain, logits, targets, N, V);
    loss_forward_backward(fused, dlogits, targets, dloss, N, V);
    for (long n = 0; n < N; n++) CHECK(plain[n] == fused[n]);
    CHECK_GRAD(logits, dlogits, N * V, 0, loss);
}

static void huge_logits_stay_finite(void) {
    logits = normals(N * V);
    for (long i = 0; i < N * V; i++) logits[i] *= 10000;
    double losses[N];
    loss_forward(losses, logits, targets, N, V);
    for (long n = 0; n < N; n++) CHECK(isfinite(losses[n]) && losses[n] >= 0);
    loss_forward_backward(losses, logits, targets, 1, N, V);
    for (long i = 0; i < N * V; i++) CHECK(isfinite(logits[i]));
}

static void a_nan_makes_the_loss_nan(void) {
    logits = normals(N * V);
    logits[5] = (real)NAN;
    double losses[N];
    loss_forward(losses, logits, targets, N, V);
    CHECK(isnan(losses[0]) && isfinite(losses[1]));
}

int main(void) {
    RUN(the_loss_is_minus_the_log_of_softmax);
    RUN(equal_logits_cost_the_log_of_their_number);
    RUN(the_fused_pass_gives_the_same_losses_and_their_gradient);
    RUN(huge_logits_stay_finite);
    RUN(a_nan_makes_the_loss_nan);
    return report();
}
