import type { Caller } from '#runtime/contract'
import { type Query, readsOthers } from './query.ts'
import type { RouteMatch } from './routes.ts'

/** The name of an answer to a query in the cache. It says who asks where other resources are read, which not all may see. */
export function queryKey({ uri }: RouteMatch, query: Query, caller: Caller): string {
  const { account, privileges, passwordChangeRequired } = caller
  const key = `${uri}?${query.text}`
  return readsOthers(query) ? `${key} ${account} ${[...privileges].join()} ${passwordChangeRequired}` : key
}

/** That of an answer which differs from one caller to another: it says everything that a handler knows of the caller. */
export function callerKey({ uri }: RouteMatch, { privileges, ...caller }: Caller): string {
  return `${uri} ${JSON.stringify(caller)} ${[...privileges].join()}`
}
