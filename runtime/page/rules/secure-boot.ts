import type { SecureBoot } from '../types.ts'

/**
 * Why secure boot is not enforced, or will not be from the next boot on: `disabled`, `AuditMode`, a database without keys,
 * or `boot` where only a boot is missing. The databases are the ids of those that have no members.
 */
export type Missing = 'disabled' | 'AuditMode' | 'PK' | 'KEK' | 'db' | 'boot'

/** Whether the firmware enforced secure boot when it started, and what is missing; empty if it stays enforced. */
export function enforcement(
  { SecureBootCurrentBoot, SecureBootEnable, SecureBootMode }: SecureBoot,
  emptyDatabases: readonly string[]
): { readonly isEnforced: boolean; readonly missing: readonly Missing[] } {
  const isEnforced = SecureBootCurrentBoot === 'Enabled'
  const lacksKey = (id: string) => emptyDatabases.includes(id) || (id === 'PK' && SecureBootMode === 'SetupMode')
  const missing: readonly Missing[] = [
    ...(SecureBootEnable ? [] : (['disabled'] as const)),
    ...(SecureBootMode === 'AuditMode' ? (['AuditMode'] as const) : []),
    ...(['PK', 'KEK', 'db'] as const).filter(lacksKey)
  ]
  return { isEnforced, missing: isEnforced || missing.length > 0 ? missing : ['boot'] }
}
