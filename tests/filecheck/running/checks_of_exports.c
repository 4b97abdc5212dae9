// Calls functions whose checks fail, on two threads.
#include "lib.h"
#include <pthread.h>
#include <stdio.h>

static void call(const double *x, double index)
{
    double result = -1;
    const int status = at_1000_s(x, index, &result);
    if (status == TOY_OK)
        printf("%d %f\n", status, result);
    else
        printf("%d\n", status);
}

static void *on_thread(void *status)
{
    double result;
    *(int *)status = down_s(-1, &result);
    return NULL;
}

int main(void)
{
    double x[1000], result;
    for (int i = 0; i < 1000; i++)
        x[i] = i;
    call(x, 999);
    call(x, 1000);
    call(x, 0.5);
    int status = down_s(100, &result);
    printf("%d %f\n", status, result);
    printf("%d\n", down_s(-1, &result));
    pthread_t thread;
    pthread_create(&thread, NULL, on_thread, &status);
    pthread_join(thread, NULL);
    printf("thread %d\n", status);
    status = down_s(10, &result);
    printf("%d %f\n", status, result);
    return 0;
}
