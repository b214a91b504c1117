// The dialog of a WebSocket target: address and limits.
import { type WsTarget, WsTargetInput } from '#contract'
import { t } from '../../language/language.ts'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useWsTargetChanges } from './use-ws-target-changes.ts'

const AS_SET = { placeholder: t('gateway default') } as const

const FORM = formOf(WsTargetInput, {
  name: {
    label: t('Name'),
    code: true,
    placeholder: 'prices',
    hint: t('Clients connect to /ws-proxy/<name>.'),
    createOnly: true,
  },
  backendWsUrl: {
    label: t('Address'),
    code: true,
    placeholder: t('wss://prices.example/feed'),
    hint: t('It is checked and pinned when it is saved.'),
  },
  maxConnections: { label: t('Maximum connections'), hint: t('At the same time.'), ...AS_SET },
  maxMessageBytes: {
    label: t('Maximum message size, in bytes'),
    hint: t('A larger message closes the connection.'),
    ...AS_SET,
  },
  idleTimeoutMs: { label: t('Idle timeout, in ms'), hint: t('Without messages in either direction.'), ...AS_SET },
})

export function WsTargetDialog(dialog: RecordDialogProps<WsTarget>) {
  const { create, change } = useWsTargetChanges()
  return (
    <RecordDialog
      {...dialog}
      noun={t('WebSocket target')}
      about={
        dialog.record
          ? t('Changes close its connections; clients reconnect.')
          : t('The gateway checks the client’s key and forwards messages.')
      }
      width="max-w-lg"
      form={FORM}
      onSubmit={(input, base) =>
        base ? change(base, input) : create(input, ({ name }) => t('{name} was added', { name }))
      }
    />
  )
}
