// Calls functions whose checks fail, on two threads.
#include "lib.h"
#include <pthread.h>
#include <stdio.h>

static void show(int status)
{
    const struct toy_error *e = toy_last_error();
    printf("%d %d %s:%d:%d in %s: %s; %d %d %g\n", status, e->code, e->code == 0 ? "" : e->file, e->line, e->column,
           e->code == 0 ? "" : e->function, e->code == 0 ? "" : e->message, (int)e->index, (int)e->size, e->number);
}

static void call(const double *x, double index)
{
    double result = -1;
    const int status = at_1000_s(x, index, &result);
    if (status == TOY_OK)
        printf("%d %f\n", status, result);
    else
        show(status);
}

static void *on_thread(void *status)
{
    double result;
    show(0);
    *(int *)status = down_s(-1, &result);
    printf("thread %d %d\n", *(int *)status, toy_last_error()->code);
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
    show(down_s(-1, &result));
    pthread_t thread;
    pthread_create(&thread, NULL, on_thread, &status);
    pthread_join(thread, NULL);
    status = down_s(10, &result);
    printf("%d %f\n", status, result);
    show(5);
    show(at_1000_s(NULL, 1, &result));
    show(at_1000_s(x, 1, x));
    return 0;
}
