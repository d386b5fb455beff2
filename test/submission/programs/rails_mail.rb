# Hands the mail of content.json in by the gem that Action Mailer of Rails sends with.
require 'json'
require 'base64'
require 'mail'

content = JSON.parse(File.read(ENV['CONTENT']))
Mail.defaults do
  delivery_method :smtp, address: ENV['HOST'], port: ENV['PORT'].to_i, user_name: 'facteur',
                         password: ENV['KEY'], authentication: :login, enable_starttls_auto: false
end
content['mails'].each do |mail|
  message = Mail.new(charset: 'UTF-8') do
    from mail['from']
    to mail['to']
    bcc mail['bcc']
    subject content['subject']
    message_id "<#{mail['step']}@rails.test>"
    text_part { body content['text'] }
    html_part { content_type 'text/html; charset=UTF-8'; body content['html'] }
  end
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
