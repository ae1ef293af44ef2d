/* A library that exports nothing of what the contract asks for. */
int unrelated;
