#define MOST 50
int limit(int n);
