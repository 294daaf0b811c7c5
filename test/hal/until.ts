/** Resolves when a condition holds, now or after a change of a device. @param on listens to the changes, as devices do */
export function until(on: (listener: () => void) => () => void, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (condition()) return resolve()
    const stop = on(() => {
      if (!condition()) return
      stop()
      resolve()
    })
  })
}
