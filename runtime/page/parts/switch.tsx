interface Props {
  readonly label: string
  readonly isOn: boolean
  readonly onSwitch: (isOn: boolean) => void
  readonly isWrong?: boolean
  /** The id of what says more of it. */
  readonly about?: string
}

/** Something that is on or off. */
export function Switch({ label, isOn, onSwitch, isWrong = false, about }: Props) {
  return (
    <label class="switch">
      {label}
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        aria-invalid={isWrong}
        aria-describedby={about}
        checked={isOn}
        onChange={({ currentTarget }) => onSwitch(currentTarget.checked)}
      />
    </label>
  )
}
