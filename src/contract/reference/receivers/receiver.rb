# PORT=8080 FACTEUR_WEBHOOK_SECRET=whsec_… ruby receiver.rb   (gem install webrick)
require 'json'
require 'openssl'
require 'webrick'

SECRET = ENV.fetch('FACTEUR_WEBHOOK_SECRET')
SEEN = {} # yours: a table whose key is the event's id

def genuine?(header, body)
  parts = header.split(',').map { |part| part.split('=', 2) }
  at = parts.assoc('t')&.last.to_s
  return false unless at.match?(/\A\d+\z/) && (Time.now.to_i - at.to_i).abs <= 300

  expected = OpenSSL::HMAC.hexdigest('SHA256', SECRET, "#{at}.#{body}")
  parts.any? { |name, hex| name == 'v1' && OpenSSL.secure_compare(hex.to_s, expected) }
end

server = WEBrick::HTTPServer.new(Port: ENV.fetch('PORT').to_i, BindAddress: '127.0.0.1', AccessLog: [])
server.mount_proc '/hooks/facteur' do |request, response|
  body = request.body.to_s
  response.status = genuine?(request['Service-Signature'].to_s, body) ? 204 : 400
  next if response.status == 400

  event = JSON.parse(body)
  next if SEEN.key?(event['id'])

  SEEN[event['id']] = true
  $stdout.puts "#{event['id']} #{event['type']}"
  $stdout.flush
end
trap('TERM') { server.shutdown }
server.start
