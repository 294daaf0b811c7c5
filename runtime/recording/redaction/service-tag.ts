import { serviceTag } from './forms.ts'

/** The express service code of a service tag: the number that its letters and digits are in base 36. */
export const expressServiceCode = (tag: string) => Number.parseInt(tag, 36)

/** The service tag for an express service code; undefined for any other text or number. */
export function tagOf(code: string | number): string | undefined {
  const digits = String(code).replaceAll('-', '')
  const tag = /^\d{6,15}$/.test(digits) ? Number(digits).toString(36).toUpperCase() : ''
  return serviceTag.test(tag) ? tag : undefined
}

/** The characters of a text, in hexadecimal. */
export const hexOf = (text: string) =>
  Array.from(text, (each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join('')
