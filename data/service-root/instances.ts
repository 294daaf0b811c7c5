declare module '#runtime/contract' {
  interface Services {
    /**
     * Every resource that the caller can walk to from the service root, with the entity tag that a GET of it has; an
     * answer that reads it is not cached. Files of schemas and registries, and entries of logs, are left out.
     */
    instances(): readonly Instance[]
  }
}

/** A resource as the resource directory lists it. */
export interface Instance {
  readonly '@odata.id': string
  readonly '@odata.type': string
  readonly ETag: string
}
