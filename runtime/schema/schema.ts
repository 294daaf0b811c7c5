/**
 * The one declaration of a resource: TypeScript types, the check of request bodies, the stringifier, the published
 * JSON Schema file and `$metadata` all come from it (JSON Schema 2020-12 words as DSP0266 clause 14 uses them). Boards,
 * the options of their back ends and the configuration are declared in the same words.
 */

interface Annotated {
  readonly description?: string
  /** Whether `null` is a value; a nullable property is cleared by a PATCH with `null`. */
  readonly nullable?: boolean
  /** False where a client may PATCH it. Everything else is read-only. */
  readonly readonly?: boolean
  /** The same in every answer: the runtime fills it in unless a handler gives another value. */
  readonly constant?: unknown
  /** Of a setting in a file: what it is where the file does not say. */
  readonly default?: string | number | boolean
}

export interface StringProperty extends Annotated {
  readonly type: 'string'
  readonly enum?: readonly string[]
  readonly format?: 'date-time' | 'uri' | 'uri-reference' | 'uuid' | 'duration'
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  /** In a board: the name of the list of parts that has the text as an id, such as `chassis`. */
  readonly memberOf?: string
}

export interface NumberProperty extends Annotated {
  readonly type: 'integer' | 'number'
  readonly minimum?: number
  readonly maximum?: number
}

export interface BooleanProperty extends Annotated {
  readonly type: 'boolean'
}

export interface ArrayProperty extends Annotated {
  readonly type: 'array'
  readonly items: Property
  readonly maxItems?: number
}

export interface ObjectProperty extends Annotated {
  readonly type: 'object'
  readonly required?: readonly string[]
  readonly properties: { readonly [name: string]: Property }
  /** The schema of members beyond `properties`; by default there are no others. */
  readonly additionalProperties?: Property | AnyValue
  /** In files: by the value of the member `type`, which members there are beside it, in place of any others. */
  readonly variants?: { readonly [type: string]: ObjectProperty }
  /** Of a reference: the path to a resource below the one that has it, `/Fans/`. The runtime fills it in. */
  readonly child?: string
  /** `#Type.v1_0_0.Type` if the object is a type of its own, as each `Oem.Vendor` block is. */
  readonly title?: string
}

/** A member of free form, such as a BIOS attribute, or one that clients write in more than one form. */
export interface AnyValue {
  readonly type: readonly ('string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object')[]
  readonly readonly?: boolean
}

export type Property = StringProperty | NumberProperty | BooleanProperty | ArrayProperty | ObjectProperty | AnyValue

/**
 * A resource type. `title` is its `@odata.type`; without one the answer is a plain object (`/redfish`) to which the
 * runtime adds nothing.
 */
export type Schema = ObjectProperty

/** The parameters of an action, or the body that creates a member. */
export type Parameters = ObjectProperty

type Nullable<S, T> = S extends { nullable: true } ? T | null : T

type Scalar<N> = N extends 'string'
  ? string
  : N extends 'boolean'
    ? boolean
    : N extends 'null'
      ? null
      : N extends 'array'
        ? readonly unknown[]
        : N extends 'object'
          ? object
          : number

type Members<S> = S extends { additionalProperties: infer A } ? { [name: string]: Infer<A> } : unknown

type Required<S> = S extends { required: readonly (infer R)[] } ? R : never

/** Members that the runtime fills in when a handler does not: `Id`, `Name` and the `@odata.` properties. */
type Filled = 'Id' | 'Name' | `@odata.${string}` | `Members@odata.${string}`

type Constants<P> = { [K in keyof P]: P[K] extends { constant: unknown } ? K : never }[keyof P]

/** Members of objects in a resource that follow from its schema: the runtime fills them in. */
export type Derived = '@odata.type' | 'target'

/** The value that a property declares. @typeParam O required members that may be left out */
export type Infer<S, O extends string = never> = Nullable<
  S,
  S extends { type: readonly (infer N)[] }
    ? Scalar<N>
    : S extends { enum: readonly (infer E)[] }
      ? E
      : S extends { type: 'array'; items: infer I }
        ? readonly Infer<I, O>[]
        : S extends { type: 'object'; properties: infer P }
          ? { -readonly [K in keyof P as K extends Exclude<Required<S>, O> ? K : never]: Infer<P[K], O> } & {
              -readonly [K in keyof P as K extends Exclude<Required<S>, O> ? never : K]?: Infer<P[K], O> | undefined
            } & Members<S>
          : S extends { type: infer N }
            ? Scalar<N>
            : never
>

/** An immutable value. */
export type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T

/** The result of a GET handler: the resource without the properties that the runtime fills in. */
export type Resource<S> = S extends { properties: infer P }
  ? {
      -readonly [K in keyof P as K extends Exclude<Required<S>, Filled | Constants<P>> ? K : never]: Infer<
        P[K],
        Derived
      >
    } & {
      -readonly [K in keyof P as K extends Exclude<Required<S>, Filled | Constants<P>> ? never : K]?:
        | Infer<P[K], Derived>
        | undefined
    } & Members<S>
  : never

type Writes<S> = S extends { readonly: false }
  ? true
  : S extends { properties: infer P }
    ? true extends { [K in keyof P]: Writes<P[K]> }[keyof P]
      ? true
      : false
    : false

/** The body of a PATCH for its handler: the writable properties, each present only when the client named it. */
export type Writable<S> = S extends { readonly: false }
  ? Infer<S>
  : S extends { properties: infer P }
    ? { -readonly [K in keyof P as Writes<P[K]> extends true ? K : never]?: Writable<P[K]> }
    : never
