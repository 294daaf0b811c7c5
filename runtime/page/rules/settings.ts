import {
  type Attribute,
  type AttributeRegistry,
  type Evaluation,
  evaluate,
  type Menu,
  type Value,
  type Values
} from '#data/bios'

/** A menu with those inside of it, in their order. */
export interface MenuBranch {
  readonly menu: Menu
  readonly inner: readonly MenuBranch[]
}

/** The menus of a registry as a tree. */
export function menuTree(menus: readonly Menu[], above = '.'): readonly MenuBranch[] {
  return menus
    .filter(({ MenuPath, MenuName }) => MenuPath === `${above}/${MenuName}`)
    .sort((a, b) => a.DisplayOrder - b.DisplayOrder)
    .map((menu) => ({ menu, inner: menuTree(menus, menu.MenuPath) }))
}

/** An attribute as it is, and as it will be. */
export interface Setting {
  readonly name: string
  /** With the properties that hold now: the dependencies may have changed them. */
  readonly definition: Attribute
  readonly current: Value
  /** The requested value; without one, the value that the dependencies set, or the current one. */
  readonly next: Value
  /** Why a transfer would refuse the value that was asked for. */
  readonly fault: { readonly key: string; readonly args: readonly string[] } | undefined
  /** Where a dependency sets another value than the one that was asked for. */
  readonly settles: Value | undefined
}

/**
 * All attributes as the service would judge them at the next reset.
 *
 * @param current the values that the BIOS runs with
 * @param wanted those that wait in the service, and those that the user has entered
 */
export function settingsOf(registry: AttributeRegistry, current: Values, wanted: Values): Setting[] {
  const { attributes, values, faults }: Evaluation = evaluate(registry, current, wanted)
  return [...attributes].map(([name, definition]) => {
    const asked = Object.hasOwn(wanted, name) ? wanted[name] : undefined
    const settled = values[name] ?? null
    return {
      name,
      definition,
      current: current[name] ?? null,
      next: asked ?? settled,
      fault: faults.get(name),
      settles: asked === undefined || asked === settled ? undefined : settled
    }
  })
}

/** Whether the user may change a setting now. */
export function isOpen({ definition }: Setting): boolean {
  return !definition.ReadOnly && !definition.GrayOut && !definition.Immutable
}

/** Whether a setting is seen at the setup screen. */
export const isShown = ({ definition }: Setting) => !definition.Hidden

/** Whether each word stands in the names, the help or a value of a setting. */
export function isFound({ name, definition, next }: Setting, words: string): boolean {
  const { DisplayName, HelpText, Value: values = [] } = definition
  const all = [
    name,
    DisplayName,
    HelpText,
    String(next),
    ...values.flatMap((each) => [each.ValueName, each.ValueDisplayName])
  ]
  const text = all.join('\n').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A value as the setup screen shows it. */
export function shownValue({ Value: values }: Attribute, value: Value): string {
  return values?.find((each) => each.ValueName === value)?.ValueDisplayName ?? String(value ?? '')
}

/** The value in an editor. Text that is no number stays text, so that the service reports it. */
export function enteredValue({ Type }: Attribute, text: string): Value {
  if (Type === 'Boolean') return text === 'true'
  return Type === 'Integer' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The values to send, so that all that was entered waits: those that wait already are left out. */
export function unsent(entered: Values, waiting: Values): Values {
  return Object.fromEntries(Object.entries(entered).filter(([name, value]) => waiting[name] !== value))
}
