# Hands the mail of content.json in by the gem that Action Mailer of Rails sends with.
require 'json'
require 'base64'
require 'mail'

content = JSON.parse(File.read(ENV['CONTENT']))
Mail.defaults do
  delivery_method :smtp, address: ENV['HOST'], port: ENV['PORT'].to_i, user_name: 'facteur',
                         password: ENV['KEY'], authentication: :login, enable_starttls_auto: false,
                         enable_starttls: ENV['TLS'] == 'STARTTLS', ssl: ENV['TLS'] == 'TLS'
end
content['mails'].each do |mail|
  message = Mail.new(charset: mail['charset']) do
    from mail['from']
    to mail['to']
    bcc mail['bcc']
    subject mail['subject']
    message_id "<#{mail['step']}@rails.test>"
    text_part { content_type "text/plain; charset=#{mail['charset']}"; body content['text'].encode(mail['charset']) }
    html_part { content_type "text/html; charset=#{mail['charset']}"; body content['html'].encode(mail['charset']) }
  end
  message.add_part(Mail::Part.new do
    content_type 'text/calendar; charset=UTF-8; method=REQUEST'
    body content['calendar']
  end)
  message.attachments.inline['logo.png'] = Base64.decode64(content['logo'])
  message.attachments.inline['logo.png'].content_id = '<logo>'
  message.attachments[content['filename']] = Base64.decode64(content['file'])
  begin
    message.deliver!
    reply = '250'
  rescue Net::SMTPError, StandardError => e
    reply = e.message
  end
  puts({ step: mail['step'], reply: reply.strip }.to_json)
end
