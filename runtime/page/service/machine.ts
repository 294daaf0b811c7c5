import { type Signal, signal } from '@preact/signals'
import { place } from '../router.ts'
import { type Health, healthOf } from '../rules/health.ts'
import { fresh, type Known, loading, optional, partOf, together } from '../rules/known.ts'
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

/** A member of a collection that is read at the same time as what names the member; the first where nothing names one. */
function useMemberOf<T>(collection: string, uri: Known<string>): Known<T> {
  const all = useResource<Links>(collection)
  const first = partOf(all, ({ Members }) => Members[0]?.['@odata.id'])
  return useResource<T>(all.state === 'loading' ? loading : uri.state === 'absent' ? first : uri)
}

/** The manager of the system that is shown. */
export function useManager(): Known<Manager> {
  const link = partOf(useSystem(), ({ Links }) => Links?.ManagedBy?.[0]?.['@odata.id'])
  return useMemberOf<Manager>('/redfish/v1/Managers/', link)
}

/** The offset of the manager's clock from UTC, such as `+01:00`; undefined if the manager reports none. */
export const controllerOffset: Signal<string | undefined> = signal(undefined)

/** The chassis of the system that is shown. */
export function useChassis(): Known<Chassis> {
  const link = partOf(useSystem(), ({ Links }) => Links?.Chassis?.[0]?.['@odata.id'])
  return useMemberOf<Chassis>('/redfish/v1/Chassis/', link)
}

/** The health of the system, its chassis and its manager together; unknown while one of them cannot be read. */
export function useHealth(): Known<Health> {
  const all = fresh(together(optional(useSystem()), optional(useChassis()), optional(useManager())))
  return partOf(all, (parts) => healthOf(parts.map((each) => each?.Status)))
}
