//! Functions that compilers of C know: they compute calls of them while they compile, whoever defines them.
//!
//! A test of such a function has to switch that off (`-fno-builtin-strstr`), or it tests the compiler. The names are those of the
//! C library in the manual of gcc; clang knows a part of them. Names with variants (`f`, `l`) are listed once.

/// Functions of `<math.h>` and `<complex.h>`, which have variants for `float` and `long double`.
const WITH_VARIANTS: &str = "\
    acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh cbrt ccos ccosh ceil cexp cimag clog clog10 \
    conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh drem erf erfc exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin \
    fmod frexp gamma hypot ilogb isinf isnan finite j0 j1 jn ldexp lgamma lgamma_r gamma_r llrint llround log log10 log1p log2 logb lrint \
    lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round roundeven scalb scalbln scalbn signbit \
    significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn";

/// All others.
const PLAIN: &str = "\
    _Exit _exit abort abs aligned_alloc alloca bcmp bcopy bzero calloc dcgettext dgettext dremf execl execle execlp execv execve execvp exit \
    ffs ffsl ffsll fork fprintf fprintf_unlocked fputc fputc_unlocked fputs fputs_unlocked free fscanf fwrite fwrite_unlocked gettext imaxabs \
    index isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper iswalnum iswalpha iswblank \
    iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit labs llabs malloc memchr memcmp memcpy \
    memmove mempcpy memset posix_memalign printf printf_unlocked putchar putchar_unlocked puts puts_unlocked realloc rindex scanf snprintf \
    sprintf sscanf stpcpy stpncpy strcasecmp strcat strchr strcmp strcpy strcspn strdup strfmon strftime strlen strncasecmp strncat \
    strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr toascii tolower toupper towlower towupper vfprintf vfscanf vprintf vscanf \
    vsnprintf vsprintf vsscanf";

/// Whether compilers know what a function of this name does.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    let is_among = |names: &str, name: &str| names.split_whitespace().any(|known| known == name);
    let variant = name.strip_suffix(['f', 'l']);
    is_among(PLAIN, name)
        || is_among(WITH_VARIANTS, name)
        || variant.is_some_and(|name| is_among(WITH_VARIANTS, name))
}

#[cfg(test)]
mod tests {
    use super::is_builtin;

    #[test]
    fn names_of_the_c_library_are_known_with_their_variants() {
        for name in ["strstr", "abs", "sin", "sinf", "powl", "isdigit"] {
            assert!(is_builtin(name), "{name}");
        }
        for name in ["absf", "strstrl", "triangle", "", "f"] {
            assert!(!is_builtin(name), "{name}");
        }
    }
}
