import type { Parameters, Schema } from '#runtime/schema'
import type {
  Context,
  Exists,
  Get,
  GetBytes,
  GetConsole,
  GetDump,
  GetFile,
  GetMedium,
  GetStream,
  Method,
  Methods,
  Outcome,
  Privileges,
  State
} from './handler.ts'
import type { Feature } from './privileges.ts'

type Operation = (context: Context<string, never>) => Outcome | Promise<Outcome>

/** The form of a body that holds an update file: the file alone, or with its parameters (DSP0266 12.2.2). */
export type UploadForm = 'file' | 'multipart'

/** The contract of a file of `handlers/`: its exports. The build checks every file against it. */
export interface HandlerModule {
  readonly schema?: Schema
  /** The answer is a plain object, to which the runtime adds nothing. Its schema has no title. */
  readonly plain?: true
  readonly body?: Parameters
  /** The schema of data that it sends other than as an answer to GET: the type is published like those of resources. */
  readonly sends?: Schema
  readonly privileges: Privileges
  /** Another template of the same resources, whose URIs stay those of the first. */
  readonly alias?: string
  readonly methods?: Methods
  /** Whether this machine has the resource, and what is below it, or the action. Absent: it has. */
  readonly exists?: Exists<string>
  /** The user who owns a resource, if `ConfigureSelf` is enough for it. */
  readonly owner?: (context: { params: Readonly<Record<string, string>>; state: State }) => string | undefined
  /** The licensed feature that a method needs. */
  readonly license?: { readonly [M in Method]?: Feature }
  /** Whether changes are served while the functions of the controller are disabled, too. */
  readonly whileDisabled?: boolean
  /** A POST takes an update file in this form; `body` declares the parameters that come with it. */
  readonly upload?: UploadForm
  /** Methods that are served, but that `Allow` does not name. */
  readonly unannounced?: readonly Method[]
  /** Names of parameters that clients of other services send to an action, and that it ignores. */
  readonly ignored?: readonly string[]
  readonly GET?:
    | Get<Schema, string>
    | GetFile<string>
    | GetBytes<string>
    | GetDump<string>
    | GetStream<string>
    | GetConsole<string>
    | GetMedium<string>
  readonly PATCH?: Operation
  readonly POST?: Operation
  readonly PUT?: Operation
  readonly DELETE?: Operation
}

/** The `typeof` of each export. */
export const handlerExports = {
  schema: 'object',
  plain: 'boolean',
  body: 'object',
  sends: 'object',
  privileges: 'object',
  alias: 'string',
  methods: 'function',
  exists: 'function',
  owner: 'function',
  license: 'object',
  whileDisabled: 'boolean',
  upload: 'string',
  unannounced: 'object',
  ignored: 'object',
  GET: 'function',
  PATCH: 'function',
  POST: 'function',
  PUT: 'function',
  DELETE: 'function'
} as const satisfies Record<keyof HandlerModule, string>
