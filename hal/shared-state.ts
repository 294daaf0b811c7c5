/** State that another program holds: any program may change it at any time. */
export interface SharedState<T extends object> {
  /** Undefined while it is unknown. From memory: cheap, never fails. */
  readonly state: T | undefined
  /**
   * Changes what is given. Resolves when `state` shows it; if it fails, a part may have been changed.
   *
   * @throws {HalError} `ENODEV` while the state is unknown, `EINVAL` for a value that it cannot have, others by its back end
   */
  set(change: Partial<T>): Promise<void>
  /** Calls back when the state has changed, whoever changed it; the function returned ends that. */
  on(listener: () => void): () => void
}
