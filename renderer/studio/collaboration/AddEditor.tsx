// Adds an editor: one found on this machine, or one at a given address.
import { useMutation } from '@tanstack/react-query'
import { Radar } from 'lucide-react'
import { EditorInput } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { type Draft, formOf, textIn } from '../../ui/form/fields.ts'
import { RecordDialog } from '../../ui/form/RecordForm.tsx'

type Driver = EditorInput['driver']

const isReal = ({ driver }: Draft): boolean => driver !== 'embedded'
const FORM = formOf(EditorInput, {
  name: { label: t('Name'), placeholder: 'unreal', maxLength: 55 },
  driver: {
    label: t('Kind'),
    options: {
      embedded: { label: t('Built in'), about: t('With its own project; nothing to install') },
      'remote-control': {
        label: t('Unreal: Remote Control'),
        about: t('Python over HTTP, with the plugin’s passphrase'),
      },
      'remote-execution': {
        label: t('Unreal: Python remote execution'),
        about: t('Python over multicast on this machine'),
      },
      'unreal-mcp': { label: t('Unreal: its own MCP server'), about: t('5.8, beside one of the other two') },
    } satisfies Record<Driver, object>,
  },
  projectDir: {
    label: t('Project folder'),
    hint: t('Calls go to the editor of this project only; needed when several are open.'),
    when: isReal,
  },
  url: { label: t('Address'), placeholder: t('default address of this kind'), when: isReal },
  token: {
    label: t('Passphrase'),
    secret: true,
    hint: t('Only for an editor on another machine that asks for one.'),
    when: isReal,
  },
})

export function AddEditor({
  onAdded,
  ...dialog
}: {
  readonly open: boolean
  readonly onClose: () => void
  readonly onAdded: (name: string) => Promise<void>
}) {
  return (
    <RecordDialog
      {...dialog}
      title={t('Add an editor')}
      about={t('It becomes a backend with this name.')}
      form={FORM}
      fresh={{ driver: 'remote-control' }}
      submit={t('Add editor')}
      renderAbove={(fill, { name }) => (
        <Found
          onChoose={({ driver, url, project }) =>
            fill({
              driver,
              url,
              name: textIn(name) || nameFor(project),
              ...(project === null ? {} : { projectDir: project }),
            })
          }
        />
      )}
      onSubmit={async (body) => onAdded((await api.pcg.create({ body })).name)}
    />
  )
}

const nameFor = (project: string | null): string =>
  (project ?? 'unreal')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '-')
    .slice(0, 55)

function Found({
  onChoose,
}: {
  readonly onChoose: (found: { driver: Driver; url: string; project: string | null }) => void
}) {
  const look = useMutation({ mutationFn: () => api.pcg.discover({ body: {} }) })
  return (
    <div className="flex flex-col gap-2">
      <Button size="sm" className="self-start" busy={look.isPending} onClick={() => look.mutate()}>
        <Radar />
        {t('Look for editors on this machine')}
      </Button>
      {look.isError && <ErrorNote error={look.error} />}
      {look.data?.items.length === 0 && (
        <p className="text-xs text-ink-2">
          {t(
            'None answers. An Unreal Editor is found once Remote Control, Python remote execution or its MCP server is on: docs/unreal-first-contact.md shows how.',
          )}
        </p>
      )}
      {look.data && look.data.items.length > 0 && (
        <ul aria-label={t('Editors found')} className="divide-y divide-line rounded-md border border-line">
          {look.data.items.map((found) => (
            <li key={found.url} className="flex items-center gap-3 px-3 py-1.5 text-sm">
              <span className="min-w-0 grow truncate">
                {found.project ?? found.driver} <code className="font-mono text-2xs text-ink-3">{found.url}</code>
              </span>
              <Button size="sm" disabled={found.known} onClick={() => onChoose(found)}>
                {found.known ? t('Already added') : t('Choose')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
