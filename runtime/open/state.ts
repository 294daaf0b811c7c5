import { opening } from '#runtime/base/opening.ts'
import { Routes } from '#runtime/request/routes.ts'
import { Events } from '#runtime/service/events/events.ts'
import { openInventory } from '#runtime/service/machine/devices.ts'
import { withFru } from '#runtime/service/machine/fru.ts'
import { withInventory } from '#runtime/service/machine/inventory.ts'
import { withSmbios } from '#runtime/service/machine/smbios.ts'
import { resetController } from '#runtime/service/manager/controller-reset.ts'
import { identified } from '#runtime/service/manager/identity.ts'
import type { PlacedOptions } from './options.ts'

export type OpenState = Awaited<ReturnType<typeof openState>>

/** Opens the state on disk: the store, as a reset of the controller leaves it, and the key of what is sealed in it; the routes. */
export function openState({ configuration, clock, place, ...parts }: PlacedOptions) {
  return opening(async (keep) => {
    const store = keep(await place.openStore())
    const inventory = openInventory(parts.board, parts.backends, store, keep)
    await inventory?.settled
    const found = inventory === undefined ? parts.board : withInventory(parts.board, inventory.read())
    const board = await identified(withFru(withSmbios(found, store), store), store)
    const { parameter } = configuration.limits
    const routes = parts.recorded?.routes(parameter) ?? Routes.of(parts.handlers, parameter)
    const events = new Events(store, board, configuration, clock.now, routes)
    await resetController(store, events, board, configuration.data)
    // The first administrator is made last: there are keys where there are accounts.
    const hasKeys = store.keys('account').length > 0
    const time = new Date(clock.now()).toISOString()
    if (!hasKeys && parts.recorded !== undefined) await store.commit(parts.recorded.initial(board.individual, time))
    const secrets = place.openSecrets(hasKeys)
    return { store, board, found, inventory, events, secrets, hasKeys, routes }
  })
}
