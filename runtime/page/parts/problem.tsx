import { Failure, type ShownMessage } from '../rules/failure.ts'
import { textOf } from '../service/messages.ts'
import { t } from '../words/index.ts'

/** A problem in the words of the registry, and what to do about it. */
export function Problem({ failure }: { readonly failure: Failure | undefined }) {
  if (failure === undefined) return null
  const { status, messages } = failure
  const bare = status === 0 ? t('noAnswer') : t('refused', String(status))
  return (
    <div class="problem" role="alert">
      {messages.length === 0 && <p>{bare}</p>}
      <Messages messages={messages} />
    </div>
  )
}

/** Messages with their texts and resolutions. */
export function Messages({ messages }: { readonly messages: readonly ShownMessage[] }) {
  return (
    <>
      {messages.map((each, index) => {
        const related = each.RelatedProperties ?? []
        return (
          <p key={index}>
            {sentences(each)}
            {related.length > 0 && <small> {related.join(', ')}</small>}
          </p>
        )
      })}
    </>
  )
}

/** The text of a message, and what to do about it where there is something to do. */
export function sentences(message: ShownMessage): string {
  const { text, resolution } = textOf(message)
  return /^none\.?$/i.test(resolution) ? text : `${text} ${resolution}`
}

/** A failure, or none where something else went wrong: that is a fault of the page, which the browser's console shows. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  console.error(error)
  return new Failure(0, [])
}
