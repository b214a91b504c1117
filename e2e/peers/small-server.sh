# The smallest MCP server: a shell starts in a tenth of the time of Node. Its tool "silent" never answers.
while IFS= read -r line; do
  case $line in *'"name":"silent"'*) continue ;; *'"id":'*) ;; *) continue ;; esac
  id=${line#*'"id":'}
  id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"pid","description":"Its number","inputSchema":{"type":"object"}}]}' ;;
    *) result="{\"content\":[{\"type\":\"text\",\"text\":\"$$\"}]}" ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
