import { useState } from 'preact/hooks'
import { sizeText } from '../rules/size.ts'
import { locale } from '../words/index.ts'

interface Props {
  /** The accessible name. */
  readonly label: string
  /** The instruction while no file is chosen. */
  readonly hint: string
  readonly help?: string
  readonly file: File | undefined
  readonly onChoose: (file: File | undefined) => void
}

/** A place to drop a file, or to choose one. A form that is sent needs one. */
export function FileChoice({ label, hint, help, file, onChoose }: Props) {
  const [isAbove, setAbove] = useState(false)
  return (
    <label
      class={`drop ${isAbove ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setAbove(true)
      }}
      onDragLeave={() => setAbove(false)}
      onDrop={(event) => {
        event.preventDefault()
        setAbove(false)
        onChoose(event.dataTransfer?.files[0])
      }}
    >
      <span>{file === undefined ? hint : `${file.name}, ${sizeText(file.size, locale.value)}`}</span>
      <input
        type="file"
        aria-label={label}
        required={file === undefined}
        onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
      />
      {help && <small>{help}</small>}
    </label>
  )
}
