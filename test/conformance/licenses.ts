import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const parse: (expression: string) => unknown = createRequire(import.meta.url)('spdx-expression-parse')

interface Component {
  readonly name: string
  readonly licenses?: readonly { readonly license?: { readonly id: string }; readonly expression?: string }[]
}

/**
 * @param file a bill of materials
 * @returns the names of its components, and of those that have no license of SPDX's list
 */
export function licensesOf(file: string): { names: string[]; unlicensed: string[] } {
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: Component[] }
  const names = (each: Component[]) => each.map(({ name }) => name)
  return { names: names(components), unlicensed: names(components.filter((each) => !isLicensed(each))) }
}

function isLicensed({ licenses = [] }: Component): boolean {
  try {
    for (const { license, expression } of licenses) parse(license?.id ?? expression ?? '')
    return licenses.length > 0
  } catch {
    return false
  }
}
