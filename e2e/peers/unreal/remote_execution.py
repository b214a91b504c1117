"""DOUBLE of Python remote execution: answers pings on the group, connects to each client that asks, runs what is sent."""
import json
import socket
import struct
import threading
import uuid


def serve(editor, config):
    me = str(uuid.uuid4())
    address, port = config['group'].split(':')
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, 'SO_REUSEPORT'):
        udp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    udp.bind(('', int(port)))
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack('4s4s', socket.inet_aton(address), socket.inet_aton('127.0.0.1')))
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton('127.0.0.1'))
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 0)
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
    connected = {}

    def message(kind, dest, data):
        return json.dumps({'version': 1, 'magic': 'ue_py', 'type': kind, 'source': me, 'dest': dest, 'data': data}, ensure_ascii=False).encode('utf-8')

    def pong(dest):
        folder = editor.config['project']
        udp.sendto(message('pong', dest, {
            'user': 'double', 'machine': 'double', 'engine_version': editor.config['engine'] + '-0+++UE5+Double',
            'engine_root': '/engine', 'project_root': folder, 'project_name': 'Double',
        }), (address, int(port)))

    def commands(client, at):
        try:
            tcp = socket.create_connection(at, timeout=3)
        except OSError:
            connected.pop(client, None)
            return
        tcp.settimeout(None)
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        decoder, text = json.JSONDecoder(), b''
        while True:
            chunk = tcp.recv(65536)
            if not chunk:
                break
            text += chunk
            try:
                asked, _end = decoder.raw_decode(text.decode('utf-8'))
            except ValueError:
                continue
            text = b''
            if asked.get('type') != 'command' or asked.get('dest') != me:
                continue
            given = asked['data']
            success, result, lines = editor.run_python(given['command'], given['exec_mode'])
            answer = message('command_result', client, {
                'success': success, 'command': given['command'], 'result': result,
                'output': [{'type': 'Info', 'output': line + '\n'} for line in lines],
            })
            # In pieces that cut characters, as a network may.
            size = config.get('piece', len(answer))
            for start in range(0, len(answer), size):
                tcp.sendall(answer[start:start + size])
        connected.pop(client, None)
        tcp.close()

    def listen():
        while True:
            datagram, _from = udp.recvfrom(65536)
            try:
                message = json.loads(datagram.decode('utf-8'))
            except ValueError:
                continue
            if message.get('magic') != 'ue_py' or message.get('version') != 1 or message.get('source') == me:
                continue
            if message.get('dest') not in (None, '', me):
                continue
            client = message['source']
            if message['type'] == 'ping':
                pong(client)
            elif message['type'] == 'open_connection' and client not in connected:
                at = (message['data']['command_ip'], message['data']['command_port'])
                connected[client] = at
                threading.Thread(target=commands, args=(client, at), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
