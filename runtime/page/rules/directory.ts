/** The users of a directory who get a role: those of a group, or one. */
export interface Mapping {
  readonly kind: 'RemoteGroup' | 'RemoteUser'
  readonly name: string
  readonly role: string
}

/** An element of RemoteRoleMapping (DSP0268, ExternalAccountProvider). */
interface RemoteRole {
  readonly LocalRole?: string | null | undefined
  readonly RemoteGroup?: string | null | undefined
  readonly RemoteUser?: string | null | undefined
}

/** The mappings of the service, as a form has them. */
export const textOf = (mappings: readonly RemoteRole[]): string =>
  JSON.stringify(
    mappings.map(({ LocalRole, RemoteGroup, RemoteUser }): Mapping => {
      const role = LocalRole ?? ''
      return RemoteGroup
        ? { kind: 'RemoteGroup', name: RemoteGroup, role }
        : { kind: 'RemoteUser', name: RemoteUser ?? '', role }
    })
  )

export const mappingsIn = (text: string): readonly Mapping[] => JSON.parse(text)

/** The mappings of a form, as they are sent. */
export const mappingsOf = (text: string): RemoteRole[] =>
  mappingsIn(text).map(({ kind, name, role }) => ({ LocalRole: role, [kind]: name.trim() }))
