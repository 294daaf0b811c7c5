import type { HostPending } from './records.ts'

/** Work for the next start of a host, besides its settings. */
export function hostPending(stored: Partial<HostPending> | undefined): HostPending {
  return { mode: 'Normal', recovery: false, clearing: 'None', ...stored }
}
