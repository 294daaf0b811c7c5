/**
 * The source of `runtime/contract/number-of-args.ts`.
 *
 * @param registries message registries as JSON, in the order in which they are listed
 */
export function numberOfArgs(registries) {
  const lines = registries.flatMap(({ RegistryPrefix, Messages }) =>
    Object.entries(Messages).map(([key, { NumberOfArgs }]) => `  '${RegistryPrefix}.${key}': ${NumberOfArgs}`)
  )
  return `/** How many arguments each message takes. build.mjs makes this file from the registries. */
export interface NumberOfArgs {
${lines.join('\n')}
}
`
}
