// The secrets that the file declares for a local server: set, replaced and deleted here, never shown.
import { useState } from 'react'
import type { LocalServer as Server } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, useAsk } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { useSubmit } from '../../ui/use-mounted.ts'
import { useServerChanges } from './local-server.ts'

type Secret = Server['secrets'][number]

export function LocalServerSecrets({ server: { name, secrets } }: { readonly server: Server }) {
  const { run } = useServerChanges()
  const ask = useAsk()
  const [setting, setSetting] = useState<string>()
  const remove = ({ name: key }: Secret) =>
    ask({
      title: t('Delete the secret {key}?', { key }),
      about: t('{name} does not start without it.', { name }),
      confirm: t('Delete secret'),
      run: () => run(api.localServers.deleteSecret({ params: { name, key } }), t('{key} is deleted', { key })),
    })
  return (
    <section aria-label={t('Secrets')} className="card">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{t('Secrets')}</h2>
      <ul className="divide-y divide-line">
        {secrets.map((secret) => (
          <li key={secret.name} className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-5 py-2">
            <code className="min-w-0 grow font-mono text-xs break-all">{secret.name}</code>
            <Badge tone={secret.isSet ? 'ok' : 'bad'}>{secret.isSet ? t('Set') : t('Missing')}</Badge>
            <Button size="sm" aria-label={t('Set {key}', { key: secret.name })} onClick={() => setSetting(secret.name)}>
              {secret.isSet ? t('Replace…') : t('Set…')}
            </Button>
            {secret.isSet && (
              <Button
                size="sm"
                look="quiet-danger"
                aria-label={t('Delete {key}', { key: secret.name })}
                onClick={() => remove(secret)}
              >
                {t('Delete')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Dialog
        open={setting !== undefined}
        onClose={() => setSetting(undefined)}
        title={t('Set {key}', { key: setting ?? '' })}
        about={t('It is encrypted, given to the next start of the program, and never shown again.')}
      >
        {setting !== undefined && <SecretForm name={name} secret={setting} onClose={() => setSetting(undefined)} />}
      </Dialog>
    </section>
  )
}

function SecretForm({
  name,
  secret,
  onClose,
}: {
  readonly name: string
  readonly secret: string
  readonly onClose: () => void
}) {
  const { run } = useServerChanges()
  const [value, setValue] = useState('')
  const save = useSubmit(
    (sent: string) =>
      run(
        api.localServers.setSecret({ params: { name, key: secret }, body: { value: sent } }),
        t('{key} is set', { key: secret }),
      ),
    onClose,
  )
  return (
    <DialogForm
      submit={t('Set secret')}
      busy={save.isPending}
      ready={value !== ''}
      error={save.error}
      onSubmit={() => save.mutate(value)}
      onClose={onClose}
    >
      <Field
        label={t('Value')}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
    </DialogForm>
  )
}
