import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { FileChoice } from '../parts/file-choice.tsx'
import { Field, FormFields, useForm } from '../parts/form.tsx'
import { Segments } from '../parts/segments.tsx'
import { Card, Facts, Loaded } from '../parts/show.tsx'
import { Submit } from '../parts/submit.tsx'
import { type Known, partOf } from '../rules/known.ts'
import { sizeText } from '../rules/size.ts'
import { send } from '../service/client.ts'
import { type Given, give, given, pause, stop } from '../service/client-file.ts'
import { useManager } from '../service/machine.ts'
import { useResource } from '../service/resources.ts'
import type { Expanded, VirtualMedia } from '../types.ts'
import { labelOf, locale, t } from '../words/index.ts'

/** A machine without drives lacks them, though it has a place for them. */
const some = (drives: Known<Expanded<VirtualMedia>>) =>
  partOf(drives, (all) => (all.Members.length === 0 ? undefined : all))

/** The drives of the host whose media come over the network. */
export function Media() {
  const media = partOf(useManager(), ({ VirtualMedia: of }) => of && `${of['@odata.id']}?$expand=.`)
  return (
    <Loaded from={some(useResource<Expanded<VirtualMedia>>(media))}>
      {({ Members }) => (
        <div class="cards">
          {Members.map((each) => (
            <Drive key={each['@odata.id']} drive={each} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

function Drive({ drive }: { readonly drive: VirtualMedia }) {
  const { Inserted, Image, ImageName, ConnectedVia, Oem } = drive
  const own = given.value.get(drive['@odata.id'])
  const isOwn = own !== undefined && own.ending === undefined
  // An image that is fetched first is named before it is inserted.
  const isOnItsWay = !Inserted && (Image != null || ConnectedVia === 'Applet')
  const isFull = Inserted || isOnItsWay || isOwn
  const atNextReset = Oem?.Vendor?.BootOnNextServerReset
  const state = Inserted ? 'inserted' : isFull ? 'onItsWay' : 'empty'
  return (
    <Card
      title={drive.Name}
      tools={<span class={`badge dot ${Inserted ? 'good' : isFull ? 'warn' : ''}`}>{t(state)}</span>}
    >
      {isFull ? (
        <Facts
          of={[
            [t('image'), own && isOwn ? own.name : (ImageName ?? '')],
            [t('comesFrom'), isOwn ? t('thisTab') : ConnectedVia === 'Applet' ? t('anotherClient') : Image],
            [t('mediaTypes'), kinds(drive)],
            [t('writeProtected'), drive.WriteProtected && t('yes')]
          ]}
        />
      ) : (
        <p>{kinds(drive)}</p>
      )}
      {own !== undefined && <Reading uri={drive['@odata.id']} of={own} />}
      {isOnItsWay && !isOwn && <progress aria-label={t('onItsWay')} />}
      {!isFull && <Insert drive={drive} />}
      <div class="row">
        {isFull && <Eject drive={drive} isOwn={isOwn} />}
        {atNextReset !== undefined && (
          <Action
            label={atNextReset ? t('notAtNextReset') : t('atNextReset')}
            act={() => send('PATCH', drive['@odata.id'], { Oem: { Vendor: { BootOnNextServerReset: !atNextReset } } })}
          />
        )}
      </div>
    </Card>
  )
}

const kinds = ({ MediaTypes }: VirtualMedia) => MediaTypes?.map(labelOf).join(', ')

const states = { connecting: 'file-connecting', paused: 'file-paused', lost: 'file-lost' } as const

/** How much of a file of this computer was read, or why that has ended. */
function Reading({ uri, of }: { readonly uri: string; readonly of: Given }) {
  const { name, size, covered, rate, state, ending, words, isUnreadable } = of
  const inWords = (bytes: number) => sizeText(bytes, locale.value)
  if (ending === 'stopped' || ending === 'ejected') return null
  if (ending !== undefined) {
    return (
      <p class="problem" role="alert">
        {ending === 'refused' ? t('fileRefused', name, words) : t('fileGivenUp', name)}
      </p>
    )
  }
  return (
    <div class="reading">
      <progress aria-label={t('readOf', name)} max={size} value={covered} />
      <p class="row">
        <span>{t('readSoFar', inWords(covered), inWords(size))}</span>
        <small>{state === 'connected' && rate > 0 && t('perSecond', inWords(rate))}</small>
      </p>
      <p class="row">
        <button type="button" onClick={() => pause(uri, state !== 'paused')} disabled={state === 'lost'}>
          {t(state === 'paused' ? 'goOn' : 'pause')}
        </button>
        <span role="status">{state !== 'connected' && t(states[state])}</span>
      </p>
      <p class="note">{t('keepTabOpen')}</p>
      {isUnreadable && (
        <p class="problem" role="alert">
          {t('fileUnreadable', name)}
        </p>
      )}
    </div>
  )
}

function Eject({ drive, isOwn }: { readonly drive: VirtualMedia; readonly isOwn: boolean }) {
  const { Actions, ConnectedVia, '@odata.id': uri } = drive
  const act = async () => {
    // It may be on its way, so that the service has nothing to eject yet.
    if (isOwn && ConnectedVia !== 'Applet') stop(uri)
    else await send('POST', Actions?.['#VirtualMedia.EjectMedia']?.target ?? '', {})
  }
  return <Action label={t('eject')} needs="VirtualMediaPriv" act={act} />
}

type Source = 'file' | 'url'

/** Inserts a medium: a file of this computer, if the drive accepts one, or an image from a server. */
function Insert({ drive }: { readonly drive: VirtualMedia }) {
  const { Actions, Oem, '@odata.id': uri } = drive
  const socket = Oem?.Vendor?.StreamURI
  const [source, setSource] = useState<Source>(socket === undefined ? 'url' : 'file')
  return (
    <>
      {socket !== undefined && (
        <Segments
          label={t('comesFrom')}
          choices={[
            ['file', t('thisComputer')],
            ['url', t('server')]
          ]}
          value={source}
          onChoose={setSource}
        />
      )}
      {source === 'file' && socket !== undefined ? (
        <InsertFile uri={uri} socket={socket} />
      ) : (
        <InsertImage target={Actions?.['#VirtualMedia.InsertMedia']?.target ?? ''} />
      )}
    </>
  )
}

function InsertFile({ uri, socket }: { readonly uri: string; readonly socket: string }) {
  const [file, setFile] = useState<File | undefined>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (file !== undefined) give(uri, socket, file)
  }
  return (
    <form onSubmit={submit}>
      <FileChoice
        label={t('imageFile')}
        hint={t('dropImage')}
        help={t('readOnDemand')}
        file={file}
        onChoose={setFile}
      />
      <Submit label={t('insert')} needs="VirtualMediaPriv" busy={false} kind="primary" />
    </form>
  )
}

function InsertImage({ target }: { readonly target: string }) {
  const form = useForm({
    uri: target,
    method: 'POST',
    stored: { image: '', user: '', password: '' },
    properties: { image: 'Image', user: 'UserName', password: 'Password' },
    secrets: ['password'],
    check: ({ image }) => ({ image: image.trim() === '' ? t('fieldMissing') : undefined }),
    body: ({ image, user, password }) => ({
      Image: image.trim(),
      ...(user !== '' && { UserName: user, Password: password })
    })
  })
  return (
    <FormFields form={form} label={t('insert')} needs="VirtualMediaPriv">
      <Field form={form} name="image" label={t('imageUrl')} />
      <details>
        <summary>{t('serverLogin')}</summary>
        <Field form={form} name="user" label={t('user')} />
        <Field form={form} name="password" label={t('password')} />
      </details>
    </FormFields>
  )
}
