// Adds a server of the catalogue to this computer. The main process shows the whole command and asks; this page only requests it.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { localName } from '#contract'
import { addServer } from '../../api/servers.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { submitting } from '../../ui/submitting.ts'
import { HostsField, hostsIn } from './HostsField.tsx'

export function AddServer({ name }: { readonly name: string }) {
  const [hosts, setHosts] = useState('')
  const client = useQueryClient()
  const adding = useMutation({
    mutationFn: () => addServer({ name, hosts: hostsIn(hosts) }),
    onSuccess(isAdded) {
      if (!isAdded) return
      notifyDone(t('{name} was added to this computer', { name: localName(name) }))
      void client.invalidateQueries({ queryKey: ['clients'] })
    },
  })
  return (
    <form className="flex flex-col gap-3" onSubmit={submitting(() => adding.mutate())}>
      <HostsField value={hosts} onChange={setHosts} />
      {adding.error && <ErrorNote error={adding.error} />}
      <Button type="submit" look="strong" busy={adding.isPending} className="self-start">
        {t('Add to this computer…')}
      </Button>
    </form>
  )
}
