import { csv } from './csv.ts'
import { findIn } from './find.ts'

/** The value of a cell for sorting, searching and export. */
export type Value = string | number | null | undefined

/** A column whose value is known. */
export interface Valued<T> {
  readonly head: string
  readonly value: (row: T) => Value
}

/** How a table is sorted: by which column, and whether the largest is first. */
export interface Order {
  readonly head: string
  readonly isDescending: boolean
}

/** The order after the head of a column is pressed: upwards, then downwards, then as the rows came. */
export function nextOrder(order: Order | undefined, head: string): Order | undefined {
  if (order?.head !== head) return { head, isDescending: false }
  return order.isDescending ? undefined : { head, isDescending: true }
}

/** Rows that have all words, in the order that was chosen; rows without a value are last in both directions. */
export function arranged<T>(
  rows: readonly T[],
  columns: readonly Valued<T>[],
  words: string,
  order: Order | undefined
): readonly T[] {
  const found =
    words.trim() === ''
      ? rows
      : rows.filter(
          (row) => findIn([row], () => columns.map(({ value }) => value(row) ?? '').join(' '), words).length > 0
        )
  const column = columns.find(({ head }) => head === order?.head)
  if (column === undefined) return found
  const direction = order?.isDescending ? -1 : 1
  return [...found].sort((a, b) => compare(column.value(a), column.value(b), direction))
}

function compare(a: Value, b: Value, direction: number): number {
  const [hasA, hasB] = [a, b].map((each) => each !== null && each !== undefined && each !== '')
  if (!hasA || !hasB) return Number(hasB) - Number(hasA)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * direction
  return collator.compare(String(a), String(b)) * direction
}

const collator = new Intl.Collator(undefined, { numeric: true })

/** The rows as comma-separated values, under the heads of their columns. */
export function exported<T>(rows: readonly T[], columns: readonly Valued<T>[]): string {
  return csv(
    columns.map(({ head }) => head),
    rows.map((row) => columns.map(({ value }) => value(row) ?? null))
  )
}
