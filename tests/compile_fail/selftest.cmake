# Cases that are wrong on purpose: check.cmake has to object to all but the first.
must_not_compile(good [[int* p = 1.5;]] "cannot convert 'double'" [[int* p = nullptr;]])
must_not_compile(allowed [[int i = 1;]] "cannot convert" [[int i = 1;]])
must_not_compile(other_error [[int i = undeclared;]] "cannot convert" [[int i = 1;]])
must_not_compile(broken_control [[int* p = 1.5;]] "cannot convert" [[int i = undeclared;]])
