import { type Machine, notFound } from '#runtime/contract'

/** The systems in a chassis that have a trusted platform module. */
export function trustedSystems(machine: Machine, chassis: string): string[] {
  return machine.chassis(chassis).systems.filter((id) => machine.system(id).trustedModule !== undefined)
}

/** The id of the trusted platform module of a system, in its chassis and among the parts whose integrity is known. */
export const trustedModuleId = (system: string) => `TPM-${system}`

/** @throws MessageError 404 where no system has a module of this id */
export function findTrustedModule(machine: Machine, chassis: string, id: string) {
  const system = trustedSystems(machine, chassis).find((each) => trustedModuleId(each) === id) ?? notFound()
  return { system, module: machine.system(system).trustedModule ?? notFound() }
}
