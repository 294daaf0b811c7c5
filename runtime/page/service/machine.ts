import { signal } from '@preact/signals'
import { type Known, partOf } from '../rules/known.ts'
import type { Chassis, Manager, System } from '../types.ts'
import { useResource } from './resources.ts'

/** The system that is shown, by its URI; the first until the user chooses another. */
export const chosen = signal<string | undefined>(undefined)

interface Links {
  readonly Members: readonly { readonly '@odata.id': string }[]
}

/** The URIs of all systems. */
export function useSystems(): Known<readonly string[]> {
  return partOf(useResource<Links>('/redfish/v1/Systems/'), ({ Members }) => Members.map((each) => each['@odata.id']))
}

/** The system that is shown. */
export function useSystem(): Known<System> {
  const first = partOf(useSystems(), ([uri]) => uri)
  return useResource<System>(chosen.value ?? first)
}

/** The manager of the system that is shown. */
export function useManager(): Known<Manager> {
  return useResource<Manager>(partOf(useSystem(), ({ Links }) => Links?.ManagedBy?.[0]?.['@odata.id']))
}

/** The chassis of the system that is shown. */
export function useChassis(): Known<Chassis> {
  return useResource<Chassis>(partOf(useSystem(), ({ Links }) => Links?.Chassis?.[0]?.['@odata.id']))
}
