/** A thing that is open until it is closed. */
export interface Closable {
  close(): void | Promise<void>
}

/** Takes note of what has to be closed, and returns it. */
export type Keep = <T extends Closable>(opened: T) => T

/**
 * Opens one thing after another. All that was kept is closed in the reverse order: by the `close` that is returned, or
 * when opening fails half way. One that fails to close keeps none of the others open.
 *
 * @returns what `open` returns, and how to close it, which throws the first failure when all is closed
 * @throws what `open` throws, when all is closed
 */
export async function opening<T extends object>(
  open: (keep: Keep) => Promise<T>
): Promise<T & { close(): Promise<void> }> {
  const kept: Closable[] = []
  const close = async () => {
    const failures: unknown[] = []
    for (const each of kept.splice(0).reverse()) {
      try {
        await each.close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  try {
    const opened = await open((each) => {
      kept.push(each)
      return each
    })
    return { ...opened, close }
  } catch (error) {
    // Why it cannot be opened is the failure that counts.
    await close().catch(() => undefined)
    throw error
  }
}
