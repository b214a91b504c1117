// A new editor: one that was found on this machine, or one whose address is known.
import { useMutation } from '@tanstack/react-query'
import { Radar } from 'lucide-react'
import { useState } from 'react'
import { EditorInput } from '#contract'
import { api } from '../../api/api.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { Select } from '../../ui/Select.tsx'
import { useChecked } from '../../ui/use-checked.ts'

type Driver = EditorInput['driver']
type Props = { readonly onClose: () => void; readonly onAdded: (name: string) => Promise<void> }

const DRIVERS = [
  { value: 'embedded', label: 'Built in', about: 'A project of its own; nothing to install' },
  { value: 'remote-control', label: 'Unreal: Remote Control', about: 'Python over HTTP, with the plugin’s passphrase' },
  {
    value: 'remote-execution',
    label: 'Unreal: Python remote execution',
    about: 'Python over multicast on this machine',
  },
  { value: 'unreal-mcp', label: 'Unreal: its own MCP server', about: '5.8, beside one of the other two' },
] as const satisfies readonly { readonly value: Driver; readonly label: string; readonly about: string }[]

export function AddEditor({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog
      open={open}
      onClose={props.onClose}
      title="Add an editor"
      about="It becomes a backend of tools under its name."
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ onClose, onAdded }: Props) {
  const [name, setName] = useState('')
  const [driver, setDriver] = useState<Driver>('remote-control')
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const add = useMutation({
    mutationFn: (body: EditorInput) => api.pcg.create({ body }),
    onSuccess: async (made) => {
      await onAdded(made.name)
      onClose()
    },
  })
  const real = driver !== 'embedded'
  const draft = {
    name,
    driver,
    ...(real && url !== '' ? { url } : {}),
    ...(real && token !== '' ? { token } : {}),
  }
  const { problem, submit } = useChecked(EditorInput, draft, add.error)
  return (
    <DialogForm
      submit="Add editor"
      busy={add.isPending}
      ready={name !== ''}
      error={add.error}
      onSubmit={() => submit(add.mutate)}
      onClose={onClose}
    >
      <Found
        onChoose={(found) => {
          setDriver(found.driver)
          setUrl(found.url)
          setName(
            name ||
              (found.project ?? 'unreal')
                .toLowerCase()
                .replaceAll(/[^a-z0-9_-]/g, '-')
                .slice(0, 55),
          )
        }}
      />
      <Field
        label="Name"
        value={name}
        required
        maxLength={55}
        placeholder="unreal"
        onChange={(event) => setName(event.target.value)}
        error={problem('name')}
      />
      <Select label="Kind" value={driver} options={DRIVERS} onChange={setDriver} />
      {real && (
        <>
          <Field
            label="Address"
            value={url}
            placeholder="where this kind is by default"
            onChange={(event) => setUrl(event.target.value)}
            error={problem('url')}
          />
          <Field
            label="Passphrase"
            type="password"
            autoComplete="off"
            value={token}
            hint="Only for an editor on another machine that asks for one."
            onChange={(event) => setToken(event.target.value)}
            error={problem('token')}
          />
        </>
      )}
    </DialogForm>
  )
}

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
        Look for editors on this machine
      </Button>
      {look.isError && <ErrorNote error={look.error} />}
      {look.data?.items.length === 0 && (
        <p className="text-xs text-ink-2">
          None answers. An Unreal Editor is found once Remote Control, Python remote execution or its MCP server is on:
          docs/unreal-first-contact.md tells how.
        </p>
      )}
      {look.data && look.data.items.length > 0 && (
        <ul aria-label="Editors found" className="divide-y divide-line rounded-md border border-line">
          {look.data.items.map((found) => (
            <li key={found.url} className="flex items-center gap-3 px-3 py-1.5 text-sm">
              <span className="min-w-0 grow truncate">
                {found.project ?? found.driver} <code className="font-mono text-2xs text-ink-3">{found.url}</code>
              </span>
              <Button size="sm" disabled={found.known} onClick={() => onChoose(found)}>
                {found.known ? 'Added already' : 'Choose'}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
