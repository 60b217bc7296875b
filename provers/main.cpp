// The program `critscale`.
int main() { return 0; }
