/** A list with one member moved to another place. A place before the beginning or after the end is clamped. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = [...list]
  const [member] = rest.splice(from, 1)
  if (member !== undefined) rest.splice(Math.max(0, Math.min(to, rest.length)), 0, member)
  return rest
}
