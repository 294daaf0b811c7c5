import { signal } from '@preact/signals'
import type { Chassis, Manager, System } from '../types.ts'
import { type Known, useResource } from './resources.ts'

/** The system that is shown, by its URI; the first until the user chooses another. */
export const chosen = signal<string | undefined>(undefined)

interface Links {
  readonly Members: readonly { readonly '@odata.id': string }[]
}

/** The URIs of all systems. */
export function useSystems(): readonly string[] {
  const { value } = useResource<Links>('/redfish/v1/Systems/')
  return value?.Members.map((each) => each['@odata.id']) ?? []
}

/** The system that is shown. */
export function useSystem(): Known<System> {
  const systems = useSystems()
  const uri = chosen.value ?? systems[0]
  return useResource<System>(uri)
}

/** The manager of the system that is shown. */
export function useManager(): Known<Manager> {
  const { value } = useSystem()
  return useResource<Manager>(value?.Links?.ManagedBy?.[0]?.['@odata.id'])
}

/** The chassis of the system that is shown. */
export function useChassis(): Known<Chassis> {
  const { value } = useSystem()
  return useResource<Chassis>(value?.Links?.Chassis?.[0]?.['@odata.id'])
}
