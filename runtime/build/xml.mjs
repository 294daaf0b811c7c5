/**
 * Values of attributes; those that are undefined are left out.
 *
 * @typedef {Readonly<Record<string, string | undefined>>} Attributes
 */

/**
 * An element, as lines.
 *
 * @param {string} tag
 * @param {Attributes} values
 * @param {readonly string[]} lines
 */
export function element(tag, values, lines) {
  const start = `<${tag}${attributes(values)}`
  return lines.length === 0 ? [`${start}/>`] : [`${start}>`, ...lines, `</${tag}>`]
}

/**
 * The attributes of a start tag.
 *
 * @param {Attributes} values
 */
export function attributes(values) {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escaped(value)}"`))
    .join('')
}

/** @param {string} value */
const escaped = (value) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
