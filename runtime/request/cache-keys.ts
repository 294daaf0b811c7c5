import type { Caller } from '#runtime/contract'
import { type Query, readsOthers } from './query.ts'
import type { RouteMatch } from './routes.ts'

/**
 * The name of an answer to a query in the cache. It says who asks where other resources are read, which not all may see.
 *
 * @param differs whether the answer differs from one caller to another also where both see the same resources
 */
export function queryKey({ uri }: RouteMatch, query: Query, caller: Caller, differs: boolean): string {
  const { account, privileges, passwordChangeRequired, secretKeyRequired } = caller
  const key = `${uri}?${query.text}`
  if (differs) return everythingOf(key, caller)
  const restriction = `${passwordChangeRequired} ${secretKeyRequired}`
  return readsOthers(query) ? `${key} ${account} ${[...privileges].join()} ${restriction}` : key
}

/** That of an answer which differs from one caller to another. */
export function callerKey({ uri }: RouteMatch, caller: Caller): string {
  return everythingOf(uri, caller)
}

/** A key with all that a handler knows of a caller. */
function everythingOf(key: string, { privileges, ...caller }: Caller): string {
  return `${key} ${JSON.stringify(caller)} ${[...privileges].join()}`
}
