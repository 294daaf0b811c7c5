/** A list with one of its members at another place. What would be before the beginning or after the end stays there. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = [...list]
  const [member] = rest.splice(from, 1)
  if (member !== undefined) rest.splice(Math.max(0, Math.min(to, rest.length)), 0, member)
  return rest
}
