// Linked with two files that include every header: a function or variable that is not inline is then defined twice.
int main() { return 0; }
