/** Names and paths (D-Bus Specification 0.38, "Valid Names", "Valid Object Paths"). */

const longest = 255

/** The specification does not limit paths; a longer one is refused. */
const longestPath = 4096

export const isPath = (text: string) => text.length <= longestPath && /^\/$|^(?:\/[A-Za-z0-9_]+)+$/.test(text)

/** Also of errors. */
export const isInterface = (text: string) =>
  text.length <= longest && /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+$/.test(text)

export const isMember = (text: string) => text.length <= longest && /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)

const isUniqueName = (text: string) => text.length <= longest && /^:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/.test(text)

export const isBusName = (text: string) =>
  isUniqueName(text) ||
  (text.length <= longest && /^[A-Za-z_-][A-Za-z0-9_-]*(?:\.[A-Za-z_-][A-Za-z0-9_-]*)+$/.test(text))
