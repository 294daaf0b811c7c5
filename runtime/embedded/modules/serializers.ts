/** QuickJS writes a resource as JSON in C, as fast as the functions of the build do and without their memory. */
export const serializers = {}
