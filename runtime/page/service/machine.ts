import { place } from '../router.ts'
import { type Health, healthOf } from '../rules/health.ts'
import { fresh, type Known, optional, partOf, together } from '../rules/known.ts'
import type { Chassis, Manager, System } from '../types.ts'
import { useResource } from './resources.ts'

interface Links {
  readonly Members: readonly { readonly '@odata.id': string }[]
}

/** The URIs of all systems. */
export function useSystems(): Known<readonly string[]> {
  return partOf(useResource<Links>('/redfish/v1/Systems/'), ({ Members }) => Members.map((each) => each['@odata.id']))
}

/** The id of a system, which is the last part of its URI. */
export const systemId = (uri: string) => uri.split('/').filter(Boolean).at(-1) ?? ''

/** The system that the address names, or the first. */
export function useSystem(): Known<System> {
  const { system: id } = place.value
  const uri = partOf(useSystems(), (uris) => {
    if (id === undefined) return uris[0]
    // One that is not there is asked for, so that the service says so.
    return uris.find((each) => systemId(each) === id) ?? `/redfish/v1/Systems/${encodeURIComponent(id)}/`
  })
  return useResource<System>(uri)
}

/** The manager of the system that is shown. */
export function useManager(): Known<Manager> {
  return useResource<Manager>(partOf(useSystem(), ({ Links }) => Links?.ManagedBy?.[0]?.['@odata.id']))
}

/** The chassis of the system that is shown. */
export function useChassis(): Known<Chassis> {
  return useResource<Chassis>(partOf(useSystem(), ({ Links }) => Links?.Chassis?.[0]?.['@odata.id']))
}

/** The health of the system, its chassis and its manager together; unknown while one of them cannot be read. */
export function useHealth(): Known<Health> {
  const all = fresh(together(useSystem(), optional(useChassis()), optional(useManager())))
  return partOf(all, (parts) => healthOf(parts.map((each) => each?.Status)))
}
